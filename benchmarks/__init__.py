"""Speed against floors and peers: ``python -m benchmarks``."""
