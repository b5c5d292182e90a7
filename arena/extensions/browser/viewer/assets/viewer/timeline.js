"use strict";
// The whole game on one strip: scores, who decided, thinking time; click or drag to seek.
arena.timeline = (() => {
  const { html, model } = arena;
  const { Component } = htmPreact;

  const WIDE = { marks: 14, scores: 28, evals: 24, ticks: 12, times: 18, left: 46, right: 18 };
  const SLIM = { marks: 14, scores: 18, evals: 16, ticks: 8, times: 10, left: 8, right: 18 };
  const SLIM_BELOW = 480;
  const SHORTEST_US = 100; // the lower end of the scale of times
  const GAP = 3;

  /** A mark of a moment, 10 × 10 around its middle; kinds of viewer MomentKind. */
  const SHAPES = {
    fault: "M-4-4L4 4M-4 4L4-4",
    lead: "M-5-1L0-5L5-1M-5 4L0 0L5 4",
    change: "M0-5V5M-5 0H5",
    swing: "M-5 4L-2-4L2 4L5-4",
    slow: "M-4-5H4L-4 5H4Z",
    end: "M-3 5V-5L4-2L-3 1",
  };
  const OTHER_SHAPE = "M0-4L4 0L0 4L-4 0Z";

  /** Heights and columns for a width: {bands: {name: [top, height]}, height, x, step}. */
  const layout = (width, plies, hasScores, hasEvals, hasTimes = true) => {
    const form = width < SLIM_BELOW ? SLIM : WIDE;
    const names = ["marks", hasScores && "scores", hasEvals && "evals", "ticks",
      hasTimes && "times"];
    const bands = {};
    let top = 0;
    for (const name of names.filter(Boolean)) {
      bands[name] = [top, form[name]];
      top += form[name] + GAP;
    }
    const room = Math.max(width - form.left - form.right, 1);
    const step = room / Math.max(plies, 1);
    const at = (x) => model.clamp(Math.round((x - form.left) / step), 0, plies);
    return {
      bands, height: top, step, at, left: form.left, labels: form === WIDE,
      x: (position) => Math.round((form.left + position * step) * 10) / 10,
    };
  };

  /** A line that stays level between changes: points are [position, value]. */
  const stairs = (points, x, y, last) => {
    let path = "";
    points.forEach(([position, value], n) => {
      if (n && value === points[n - 1][1]) return;
      path += path ? `H${x(position)}V${y(value)}` : `M${x(position)} ${y(value)}`;
    });
    return path && `${path}H${x(last)}`;
  };

  /** y of a value in a band. */
  const scale = ([top, height], low, high) => (value) =>
    Math.round((top + height - ((value - low) / (high - low || 1)) * height) * 10) / 10;

  /** Part of the band that a time fills, 0 … 1, on a log scale. */
  const share = (us, longest) => {
    if (us <= SHORTEST_US) return 0.06;
    return Math.max(Math.log(us / SHORTEST_US) / Math.log(longest / SHORTEST_US), 0.06);
  };

  const Scores = ({ view, plan, names }) => {
    const last = view.plies.length;
    const told = view.scores.filter(Boolean).flat();
    const low = Math.min(0, ...extremes(told));
    const high = Math.max(1, ...extremes(told));
    const y = scale(plan.bands.scores, low, high);
    const ends = names.map((_, seat) => view.scores[last]?.[seat]);
    return names.map((_, seat) => {
      const points = view.scores.flatMap((all, at) => (all ? [[at, all[seat]]] : []));
      const tied = ends.slice(0, seat).filter((end) => end === ends[seat]).length;
      return html`<g key=${seat} class="seat${seat}">
        <path class="score-line line${seat}" d=${stairs(points, plan.x, y, last)} />
        ${points.length && !tied && html`<text class="line-end" x=${plan.x(last) + 5}
          y=${y(points[points.length - 1][1]) + 4}>${arena.SEAT_MARKS[seat]}</text>`}</g>`;
    });
  };

  /** Least and largest; spreading thousands of numbers into Math.max is no good idea. */
  const extremes = (numbers) =>
    numbers.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [0, 0]);

  const Evals = ({ found, plan, last }) => {
    const [low, high] = extremes(Object.values(found).flat().map(([, value]) => value));
    const most = Math.max(Math.abs(low), high) || 1;
    const y = scale(plan.bands.evals, low < 0 ? -most : 0, most);
    return html`<line class="zero" x1=${plan.x(0)} x2=${plan.x(last)} y1=${y(0)} y2=${y(0)} />
      ${Object.entries(found).map(([seat, points]) => html`<path key=${seat}
        class="eval-line seat${seat} line${seat}" d=${points.map(([at, value], n) =>
          `${n ? "L" : "M"}${plan.x(at)} ${y(value)}`).join("")} />`)}`;
  };

  /** A tick for each ply, in the lane of its seat; chance goes through all lanes. */
  const Ticks = ({ view, plan, seats }) => {
    const [top, height] = plan.bands.ticks;
    const lane = height / seats;
    const width = model.clamp(plan.step - 1, 0.6, 8);
    const paths = Array.from({ length: seats + 1 }, () => []);
    view.plies.forEach(({ seat, hidden }, ply) => {
      if (hidden) return;
      const x = plan.x(ply + 1) - width / 2;
      const [y, tall] = seat === null ? [top, height] : [top + seat * lane, Math.max(lane - 1, 2)];
      paths[seat ?? seats].push(`M${x} ${y}h${width}v${tall}h${-width}z`);
    });
    return paths.map((parts, seat) => html`<path key=${seat} d=${parts.join("")}
      class=${seat < seats ? `tick seat${seat}` : "tick chance"} />`);
  };

  const Times = ({ view, plan, seats }) => {
    const [top, height] = plan.bands.times;
    const longest = view.plies.reduce((most, { think_us: us }) => Math.max(most, us ?? 0), 0);
    const most = Math.max(longest, SHORTEST_US * 10);
    const width = model.clamp(plan.step - 1, 0.6, 8);
    const paths = Array.from({ length: seats }, () => []);
    view.plies.forEach(({ seat, think_us: us, autopilot }, ply) => {
      if (seat === null || !us || autopilot) return;
      const tall = Math.round(share(us, most) * height * 10) / 10;
      const x = plan.x(ply + 1) - width / 2;
      paths[seat].push(`M${x} ${top + height}v${-tall}h${width}v${tall}z`);
    });
    return paths.map((parts, seat) =>
      html`<path key=${seat} class="tick seat${seat}" d=${parts.join("")} />`);
  };

  const Marks = ({ view, plan }) => {
    const [top, height] = plan.bands.marks;
    return view.moments.map(({ ply, kind, words }, n) => {
      const at = model.shownAt(view, ply);
      return html`<g key=${n} class="mark mark-${kind}" data-position=${at}
        transform="translate(${plan.x(at)} ${top + height / 2})"><title>${words}</title>
        <circle r="8" /><path d=${SHAPES[kind] ?? OTHER_SHAPE} /></g>`;
    });
  };

  const LABELS = { scores: "score", evals: "eval", ticks: "plies", times: "time" };

  const Labels = ({ plan }) => Object.entries(LABELS).map(([band, text]) => plan.bands[band]
    && html`<text key=${band} class="band-label" x=${plan.left - 10}
      y=${plan.bands[band][0] + plan.bands[band][1] / 2 + 4}>${text}</text>`);

  /** Everything but the cursor; drawn again only for another view or width. */
  class Drawing extends Component {
    shouldComponentUpdate({ view, plan }) {
      return view !== this.props.view || plan !== this.props.plan;
    }

    render({ document, view, plan, evals }) {
      const { names } = document.game;
      return html`<g>
        ${plan.labels && html`<${Labels} plan=${plan} />`}
        ${plan.bands.scores && html`<${Scores} view=${view} plan=${plan} names=${names} />`}
        ${plan.bands.evals && html`<${Evals} found=${evals} plan=${plan}
          last=${view.plies.length} />`}
        <${Ticks} view=${view} plan=${plan} seats=${names.length} />
        ${plan.bands.times
          && html`<${Times} view=${view} plan=${plan} seats=${names.length} />`}
        <${Marks} view=${view} plan=${plan} /></g>`;
    }
  }

  /** props: document, view, ply, valuetext, go(position). */
  class Timeline extends Component {
    constructor(props) {
      super(props);
      this.state = { width: 0 };
      this.seek = this.seek.bind(this);
    }

    componentDidMount() {
      const measure = () => this.setState({ width: Math.floor(this.base.clientWidth) });
      this.watcher = new ResizeObserver(measure);
      this.watcher.observe(this.base);
      measure();
    }

    componentWillUnmount() {
      this.watcher.disconnect();
    }

    /** The layout, the same object as long as nothing changes that it depends on. */
    plan() {
      const { view } = this.props;
      const { width } = this.state;
      if (this.planOf?.view !== view || this.planOf.width !== width) {
        this.planOf = { view, width };
        this.evals = model.evaluations(view);
        const hasEvals = Object.keys(this.evals).length > 0;
        const hasTimes = view.plies.some(({ think_us: us }) => us);
        this.planned = layout(width, view.plies.length, view.scores.some(Boolean), hasEvals,
          hasTimes);
      }
      return this.planned;
    }

    seek(event) {
      const { type, buttons, button, currentTarget, pointerId, clientX, target } = event;
      if (type === "pointerdown" && button === 0) currentTarget.setPointerCapture(pointerId);
      else if (!(type === "pointermove" && buttons & 1)) return;
      const mark = type === "pointerdown" && target.closest("[data-position]");
      const x = clientX - currentTarget.getBoundingClientRect().left;
      this.props.go(mark ? Number(mark.dataset.position) : this.plan().at(x));
    }

    render({ document, view, ply, valuetext }) {
      const plan = this.plan();
      const x = plan.x(ply);
      return html`<div class="timeline" role="slider" tabindex="0" aria-label="position in the game"
        aria-valuemin="0" aria-valuemax=${view.plies.length} aria-valuenow=${ply}
        aria-valuetext=${valuetext} onPointerDown=${this.seek} onPointerMove=${this.seek}
        style=${`height:${plan.height}px`}>
        <svg width=${this.state.width} height=${plan.height} aria-hidden="true">
          <${Drawing} document=${document} view=${view} plan=${plan} evals=${this.evals} /></svg>
        <svg class="cursor" width="10" height=${plan.height} aria-hidden="true"
          style=${`transform:translateX(${x - 5}px)`}><line x1="5" x2="5" y2=${plan.height} />
          <path d="M0 0H10L5 6Z" /></svg></div>`;
    }
  }

  return { Timeline, layout, share };
})();
