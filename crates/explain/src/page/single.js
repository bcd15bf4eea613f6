// One scheme: what the controls step through.
const FIRST = HEADER.first;
const NAME = HEADER.scheme;
const draw = drawFrame;
const positionText = (at) => `, at ${timeText(FRAMES[at].at_ns)}`;
const picture = () => new XMLSerializer().serializeToString(drawing());
