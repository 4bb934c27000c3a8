// Draws the charts of a report in the page that carries it. Plain JavaScript: it is copied into the page as it stands.
/* global uPlot */
const COLOURS = ["#0b6bcb", "#d1495b", "#2a9d8f", "#e9a03b", "#7b5ea7", "#5c6770", "#8ab17d", "#b5651d", "#111111"];
const WIDTH = 600;
const HEIGHT = 340;

for (const figure of document.querySelectorAll("figure[data-chart]")) {
  draw(figure, JSON.parse(figure.getAttribute("data-chart")));
}

function draw(figure, { xLabel, yLabel, isLogX, isLogY, isScatter, series }) {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const lines = series.map(({ points }) => xs.map((x) => points.find(([at]) => at === x)?.[1] ?? null));
  const options = {
    width: WIDTH,
    height: HEIGHT,
    scales: { x: { time: false, distr: isLogX ? 3 : 1 }, y: { distr: isLogY ? 3 : 1 } },
    axes: [{ label: xLabel }, { label: yLabel, size: 70 }],
    series: [
      { label: xLabel },
      ...series.map(({ label }, index) => lineOf(label, COLOURS[index % COLOURS.length], isScatter)),
    ],
  };
  return new uPlot(options, [xs, ...lines], figure);
}

function lineOf(label, colour, isScatter) {
  const points = { show: true, size: 7, fill: colour };
  return isScatter
    ? { label, stroke: colour, points, paths: () => null }
    : { label, stroke: colour, width: 2, points, spanGaps: true };
}
