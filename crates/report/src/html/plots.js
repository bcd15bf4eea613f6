'use strict';
// Draws the page's figures: their data stand as JSON beside them, the library packed at the end of the page.
(() => {
  const FORMATS = {
    number: { factor: 1, tick: { exponentformat: 'SI', separatethousands: true }, hover: ',.5~r', suffix: '' },
    whole: { factor: 1, tick: { exponentformat: 'SI', separatethousands: true }, hover: ',.5~r', suffix: '' },
    // Long times in seconds with separators: nobody reads kiloseconds.
    time: { factor: 1e-9, tick: { tickformat: '~s', ticksuffix: 's', tickformatstops: [{ dtickrange: [0.2, null], value: ',~f' }] }, hover: '.5~s', suffix: 's' },
    bytes: { factor: 1, tick: { tickformat: '~s', ticksuffix: 'B' }, hover: '.4~s', suffix: 'B' },
    share: { factor: 1, tick: { exponentformat: 'power' }, hover: '.3~g', suffix: '' },
    percent: { factor: 100, tick: { ticksuffix: ' %' }, hover: '.5~r', suffix: ' %' },
  };
  const FONT = 'system-ui, sans-serif';
  // Width of a plot on paper (A4 or Letter with the page's margins), and below which names are shortened, pixels.
  const PAPER = 660;
  const NARROW = 560;

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const touch = matchMedia('(pointer: coarse)').matches;
  const hidden = new Set();
  const plots = [];
  let printing = false;

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const inked = (color) => (color === '#000000' ? css('--text') : color);
  const scaled = (values, axis) => {
    const { factor } = FORMATS[axis.quantity];
    return factor === 1 ? values : values.map((value) => (value === null ? null : value * factor));
  };
  const shortened = (name, letters) =>
    name.length <= letters ? name : `${name.slice(0, letters / 2)}…${name.slice(1 - letters / 2)}`;

  // A value on an axis, in words for a label.
  const told = (axis, letter) => {
    const { hover, suffix } = FORMATS[axis.quantity];
    const value = axis.names.length ? `%{${letter}}` : `%{${letter}:${hover}}${suffix}`;
    return axis.label ? `${axis.label}: ${value}` : value;
  };

  const trace = (series, figure, width) => {
    const y = figure.panels.length ? figure.panels[series.panel].y : figure.y;
    const color = inked(series.color);
    const x = figure.x.names.length ? series.x.map((at) => figure.x.names[at]) : scaled(series.x, figure.x);
    const across = series.kind === 'rows';
    const label = series.labels.length ? '%{customdata}<br>' : '';
    const out = {
      name: series.name,
      x,
      y: y.names.length ? series.y.map((at) => y.names[at]) : scaled(series.y, y),
      xaxis: 'x',
      yaxis: series.panel ? `y${series.panel + 1}` : 'y',
      visible: !hidden.has(series.name),
      customdata: series.labels.length ? series.labels.map(escaped) : undefined,
      hovertemplate: `<b>${escaped(series.name)}</b><br>${label}${told(figure.x, 'x')}<br>${told(y, 'y')}<extra></extra>`,
      hoverlabel: { align: 'left', font: { family: FONT } },
    };
    if (series.errors.length) {
      const array = scaled(series.errors, y);
      out.error_y = { type: 'data', array, thickness: 1.2, width: 3, color };
    }
    if (series.kind === 'line' || series.kind === 'dots') {
      const few = series.x.length <= 40;
      out.type = 'scatter';
      out.mode = series.kind === 'dots' ? 'markers' : 'lines+markers';
      out.line = { color, width: 2, dash: series.dash || 'solid' };
      out.marker = { color, symbol: series.symbol || 'circle', size: series.kind === 'dots' ? 7 : 8 };
      if (series.kind === 'line' && !few) out.marker.maxdisplayed = 8;
      return out;
    }
    out.type = 'bar';
    out.orientation = across ? 'h' : 'v';
    out.marker = { color, line: { color: css('--ground'), width: figure.stacked ? 0.5 : 0 } };
    if (!across) out.width = undefined;
    if (series.texts.length) {
      out.text = series.texts;
      out.textposition = figure.stacked ? 'inside' : 'outside';
      out.insidetextanchor = 'middle';
      out.textangle = 0;
      out.cliponaxis = false;
      out.constraintext = 'inside';
      out.textfont = { size: width < NARROW ? 9 : 11 };
      if (figure.stacked) out.insidetextfont = { color: '#fff', size: 11 };
    }
    return out;
  };

  const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);

  const short = (value) => String(Number(value.toPrecision(3)));
  const in_units = (units) => (value) => {
    const [size, unit] = units.find(([size]) => value >= size * 0.9995) ?? units.at(-1);
    return `${short(value / size)}${unit}`;
  };
  // Names of ticks, in the units in which figures are stored.
  const NAMES = {
    number: in_units([[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']]),
    time: in_units([[1, ' s'], [1e-3, ' ms'], [1e-6, ' µs'], [1e-9, ' ns']]),
    bytes: in_units([[1e12, ' TB'], [1e9, ' GB'], [1e6, ' MB'], [1e3, ' kB'], [1, ' B']]),
    share: (value) => {
      const power = Math.round(Math.log10(value));
      return power === 0 ? '1' : Math.abs(value / 10 ** power - 1) < 1e-6 ? `10<sup>${power}</sup>` : String(Number(value.toPrecision(2)));
    },
  };
  NAMES.whole = NAMES.number;
  NAMES.percent = (value) => `${NAMES.number(value)} %`;

  // Ticks of an axis between two ends as the library has them, with at most so many names; none: as the library likes.
  const ticks = (of, [low, high], room) => {
    if (of.quantity === 'whole' && !of.log) {
      const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => (high - low) / step <= room);
      if (step) return { tickmode: 'linear', tick0: 0, dtick: step };
    }
    const decades = high - low;
    if (!of.log || decades < 0.7) return { tickmode: 'auto' };
    const digits = [[1, 2, 3, 4, 5, 6, 8], [1, 2, 5], [1]].find((digits) => decades * digits.length <= room) ?? [1];
    const every = digits.length > 1 ? 1 : Math.ceil(decades / room);
    const tickvals = [];
    for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
      if (power % every === 0) tickvals.push(...digits.map((digit) => digit * 10 ** power));
    }
    const shown = tickvals.filter((value) => Math.log10(value) >= low - 1e-9 && Math.log10(value) <= high + 1e-9);
    return { tickmode: 'array', tickvals: shown, ticktext: shown.map(NAMES[of.quantity]) };
  };

  // `room`: names that fit.
  const axis = (of, width, upwards, room = upwards ? 12 : width / 64) => {
    const { factor, tick } = FORMATS[of.quantity];
    const end = (value) => (of.log ? Math.log10(value * factor) : value * factor);
    const out = {
      title: { text: escaped(of.label), font: { size: printing ? 11 : 13 }, standoff: upwards ? 12 : 8 },
      type: of.names.length ? 'category' : of.log ? 'log' : 'linear',
      automargin: true,
      gridcolor: css('--line'),
      linecolor: css('--line'),
      zerolinecolor: css('--line'),
      ...tick,
    };
    if (of.range && !of.names.length) out.range = of.range.map(end);
    if (out.range) Object.assign(out, ticks(of, out.range, room));
    else if (!of.log) out.rangemode = 'nonnegative';
    if (of.names.length) {
      const letters = width < NARROW ? 18 : 36;
      out.categoryorder = 'array';
      out.categoryarray = of.names;
      out.tickvals = of.names;
      out.ticktext = of.names.map((name) => escaped(shortened(name, letters)));
      out.tickfont = { size: width < NARROW ? 10 : 12 };
      out.range = upwards ? [of.names.length - 0.5, -0.5] : [-0.5, of.names.length - 0.5];
    }
    return out;
  };

  // Bounds and deadlines: their lines, and their texts where these have room.
  const marks = (figure) => {
    const shown = figure.marks.filter((mark) => !mark.of.length || mark.of.some((name) => !hidden.has(name)));
    const along = (mark) => (mark.level ? figure.y : figure.x);
    const shapes = shown.map((mark) => {
      const at = mark.at * FORMATS[along(mark).quantity].factor;
      const ends = mark.level
        ? { xref: 'paper', x0: 0, x1: 1, y0: at, y1: at }
        : { yref: 'paper', y0: 0, y1: 1, x0: at, x1: at };
      return { type: 'line', ...ends, line: { color: inked(mark.color), width: 1.4, dash: 'dash' } };
    });
    const place = (mark) => {
      const of = along(mark);
      const at = mark.at * FORMATS[of.quantity].factor;
      return of.log ? Math.log10(at) : at;
    };
    const share = (mark) => {
      const range = along(mark).range;
      if (!range) return 0.5;
      const [low, high] = range.map((end) => place({ ...mark, at: end }));
      return (place(mark) - low) / (high - low);
    };
    const annotations = [];
    const taken = [];
    for (const mark of shown) {
      const here = share(mark);
      if (here < 0 || here > 1 || taken.some((other) => Math.abs(other - here) < 0.035)) continue;
      taken.push(here);
      const text = escaped(mark.label);
      const font = { size: 11, color: inked(mark.color), family: FONT };
      const common = { text, font, showarrow: false, bgcolor: css('--ground'), borderpad: 1, opacity: 0.9 };
      annotations.push(mark.level
        ? { ...common, xref: 'paper', x: 1, xanchor: 'right', y: place(mark), yanchor: 'bottom' }
        : { ...common, yref: 'paper', y: 1, yanchor: 'top', x: place(mark), xanchor: here < 0.04 ? 'left' : 'right', textangle: -90 });
    }
    return { shapes, annotations };
  };

  const rowed = (figure) => figure.series.some((series) => series.kind === 'rows');

  // On paper a plot is whole on one page, and of most plots two are.
  const TALLEST = 860;
  const heightOf = (figure) => {
    const fitted = (height) => (printing ? Math.min(TALLEST, height) : height);
    if (figure.panels.length) return fitted(60 + (printing ? 100 : 150) * figure.panels.length);
    if (rowed(figure)) {
      const bars = figure.stacked ? 1 : figure.series.length;
      const row = figure.stacked ? 36 : 12 + 17 * bars;
      return fitted(90 + figure.y.names.length * (printing ? row * 0.75 : row));
    }
    return printing ? 345 : 420;
  };

  const layout = (figure, width) => {
    const { shapes, annotations } = marks(figure);
    const out = {
      width, height: heightOf(figure), shapes, annotations,
      margin: { l: 56, r: rowed(figure) && !figure.stacked ? 64 : 16, t: touch ? 32 : 12, b: 48 },
      showlegend: false,
      hovermode: 'closest',
      hoverdistance: 80,
      dragmode: touch ? false : 'zoom',
      barmode: figure.stacked ? 'stack' : 'group',
      bargap: figure.panels.length ? 0 : 0.18,
      paper_bgcolor: css('--ground'),
      plot_bgcolor: css('--ground'),
      font: { family: FONT, size: 12, color: css('--text') },
      xaxis: axis(figure.x, width, false),
    };
    if (!figure.panels.length) {
      out.yaxis = axis(figure.y, width, true);
      return out;
    }
    // Panels from the top, with room for each one's title.
    const rows = figure.panels.length;
    const gap = Math.min(40, out.height / rows / 3) / out.height;
    const high = (1 - gap * rows) / rows;
    figure.panels.forEach((panel, at) => {
      const top = 1 - at * (high + gap) - gap;
      out[at ? `yaxis${at + 1}` : 'yaxis'] = { ...axis(panel.y, width, true, 3), domain: [top - high, top], anchor: 'x' };
      out.annotations.push({
        text: escaped(width < NARROW ? shortened(panel.title, 60) : panel.title), showarrow: false, font: { size: 12 },
        xref: 'paper', x: 0, xanchor: 'left', yref: 'paper', y: top, yanchor: 'bottom',
      });
    });
    out.xaxis.anchor = rows > 1 ? `y${rows}` : 'y';
    return out;
  };

  const MARKS = {
    circle: 'M16,7 m-4,0 a4,4 0 1,0 8,0 a4,4 0 1,0 -8,0',
    'triangle-up': 'M16,2 L21,11 L11,11 Z',
    square: 'M12,3 h8 v8 h-8 Z',
    x: 'M12,3 L20,11 M20,3 L12,11',
  };
  const sample = (series) => {
    const color = inked(series.color);
    const dash = series.dash.replaceAll('px', '');
    const line = `<path d="M0,7 H32" stroke="${color}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    const cross = series.symbol === 'x' ? 2 : 0;
    const mark = `<path d="${MARKS[series.symbol] ?? MARKS.circle}" fill="${color}" stroke="${color}" stroke-width="${cross}"/>`;
    const bar = `<rect x="8" y="1" width="16" height="12" fill="${color}"/>`;
    const shape = { line: line + mark, dots: mark, bars: bar, rows: bar }[series.kind];
    const place = document.createElement('template');
    place.innerHTML = `<svg width="32" height="14" aria-hidden="true">${shape}</svg>`;
    return place.content.firstChild;
  };

  const legend = ({ figure, place }) => {
    const names = figure.series.map((series) => series.name);
    const entries = figure.series.filter((series, at) => names.indexOf(series.name) === at);
    place.replaceChildren(...entries.map((series) => {
      const entry = document.createElement('button');
      entry.type = 'button';
      entry.ariaPressed = String(!hidden.has(series.name));
      entry.title = 'Click: hide or show in every plot. Double click: this one alone.';
      const words = document.createElement('span');
      words.textContent = series.name;
      for (const note of series.notes) {
        const small = document.createElement('small');
        small.textContent = note;
        words.append(small);
      }
      entry.append(sample(series), words);
      entry.addEventListener('click', () => toggle(series.name));
      entry.addEventListener('dblclick', () => alone(series.name, names));
      return entry;
    }));
  };

  // After a zoom an axis has other names.
  const renamed = (plot, change) => {
    const full = plot.canvas._fullLayout;
    const update = {};
    for (const [name, of] of [['xaxis', plot.figure.x], ['yaxis', plot.figure.y]]) {
      const is_changed = Object.keys(change).some((key) => key.startsWith(`${name}.range`) || key === `${name}.autorange`);
      if (of.names.length || !is_changed) continue;
      const renewed = ticks(of, full[name].range, name === 'xaxis' ? plot.width / 64 : 12);
      for (const [key, value] of Object.entries(renewed)) update[`${name}.${key}`] = value;
    }
    if (Object.keys(update).length) Plotly.relayout(plot.canvas, update);
  };

  const redraw = (plot) => {
    const width = printing ? PAPER : Math.max(240, Math.floor(plot.canvas.clientWidth));
    const { figure } = plot;
    const is_first = !plot.width;
    if (is_first) plot.canvas.replaceChildren();
    Plotly.react(plot.canvas, figure.series.map((series) => trace(series, figure, width)), layout(figure, width), {
      displaylogo: false,
      doubleClick: 'reset',
      displayModeBar: printing ? false : 'hover',
      modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d'],
      toImageButtonOptions: { format: 'svg', filename: figure.title },
    });
    plot.width = width;
    if (is_first) plot.canvas.on('plotly_relayout', (change) => renamed(plot, change));
    legend(plot);
  };
  const redrawAll = () => plots.filter((plot) => plot.is_drawn).forEach(redraw);
  const touched = (names) => plots.filter((plot) => plot.is_drawn && plot.figure.series.some((series) => names.includes(series.name)));

  const toggle = (name) => {
    if (!hidden.delete(name)) hidden.add(name);
    touched([name]).forEach(redraw);
  };
  const alone = (name, names) => {
    const others = names.filter((other) => other !== name);
    const is_alone = others.every((other) => hidden.has(other));
    for (const other of others) is_alone ? hidden.delete(other) : hidden.add(other);
    hidden.delete(name);
    touched(names).forEach(redraw);
  };

  const unpacked = async () => {
    if (typeof DecompressionStream === 'undefined') {
      throw new Error('This browser is too old for the plots (it has no DecompressionStream). The tables have their figures.');
    }
    const packed = atob(document.getElementById('library').textContent);
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).text();
  };

  const start = async () => {
    for (const place of document.querySelectorAll('figure.plot')) {
      const figure = JSON.parse(place.querySelector('script').textContent);
      plots.push({ figure, canvas: place.querySelector('.canvas'), place: place.querySelector('.legend'), is_drawn: false });
    }
    try {
      const script = document.createElement('script');
      script.textContent = await unpacked();
      document.head.append(script);
    } catch (error) {
      for (const { canvas } of plots) canvas.textContent = error.message;
      return;
    }
    const draw = (plot) => {
      if (plot.is_drawn) return;
      plot.is_drawn = true;
      redraw(plot);
    };
    // What is far below the window is drawn when it comes near, so that long pages are there at once.
    const near = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) draw(plots.find((plot) => plot.canvas === entry.target));
      }
    }, { rootMargin: '1000px' });
    plots.forEach((plot) => near.observe(plot.canvas));
    new ResizeObserver(() => {
      const changed = (plot) => plot.is_drawn && plot.width !== Math.floor(plot.canvas.clientWidth);
      if (!printing) plots.filter(changed).forEach(redraw);
    }).observe(document.body);
    dark.addEventListener('change', redrawAll);
    const print = (now) => {
      printing = now;
      // Paper is white, whatever the screen is.
      document.documentElement.classList.toggle('paper', now);
      plots.forEach((plot) => { plot.is_drawn ||= now; });
      redrawAll();
    };
    addEventListener('beforeprint', () => print(true));
    addEventListener('afterprint', () => print(false));
    document.documentElement.dataset.plots = 'ready';
  };
  start();
})();
