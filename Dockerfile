# arena with the sandbox and the compilers of all languages that `arena new-bot` knows.
# docs/machines.md says how to use it. A test holds the packages equal to those of .ci/run.

FROM python:3.13-trixie AS build
COPY . /src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /src

FROM python:3.13-slim-trixie
# A slim image has no folder for manuals, and the setup of Java may want one.
RUN mkdir -p /usr/share/man/man1 \
    && apt-get update \
    && apt-get install -y --no-install-recommends \
       gcc g++ libc6-dev nodejs golang-go default-jdk-headless rustc cargo \
       bubblewrap git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/botarena-*.whl)[dask]" \
    && useradd --create-home --uid 1000 arena \
    && install -d -o arena -g arena /work
# Whoever `docker run --user` names can write there, too.
ENV XDG_CACHE_HOME=/tmp/cache
USER arena
WORKDIR /work
ENTRYPOINT ["arena"]
CMD ["--help"]
