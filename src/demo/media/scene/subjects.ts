/** The subjects of a scene as SVG, in the pixels of its plane. Pure. */

export function lighthouseSvg(at: {
  x: number;
  foot: number;
  tall: number;
  dark: string;
  light: string;
  isLit: boolean;
}): string {
  const { x, foot, tall, dark, light, isLit } = at;
  const top = foot - tall;
  const half = tall * 0.075;
  const shaft = (from: number, to: number, fill: string) => {
    const [low, high] = [half * (1.35 - 0.45 * from), half * (1.35 - 0.45 * to)];
    const [y0, y1] = [foot - tall * 0.84 * from, foot - tall * 0.84 * to];
    return `<path d="M${n(x - low)} ${n(y0)} L${n(x - high)} ${n(y1)} H${n(x + high)} L${n(x + low)} ${n(y0)} Z" fill="${fill}"/>`;
  };
  const bands = [0, 1, 2, 3, 4].map((band) => shaft(band / 5, (band + 1) / 5, band % 2 === 0 ? light : dark)).join('');
  return (
    `<defs><linearGradient id="round"><stop offset="0" stop-color="#000" stop-opacity=".05"/><stop offset=".55" stop-color="#000" stop-opacity=".12"/><stop offset="1" stop-color="#000" stop-opacity=".6"/></linearGradient>` +
    `<radialGradient id="flare"><stop offset="0" stop-color="#fff6d8" stop-opacity=".95"/><stop offset=".2" stop-color="#ffe3a0" stop-opacity=".5"/><stop offset="1" stop-color="#ffe3a0" stop-opacity="0"/></radialGradient></defs>` +
    `<path d="M${n(x - tall * 0.75)} ${n(foot + tall * 0.06)} Q${n(x - tall * 0.4)} ${n(foot - tall * 0.14)} ${n(x - half * 2)} ${n(foot - tall * 0.05)} L${n(x + half * 2.4)} ${n(foot - tall * 0.07)} Q${n(x + tall * 0.35)} ${n(foot - tall * 0.08)} ${n(x + tall * 0.62)} ${n(foot + tall * 0.06)} Z" fill="${dark}"/>` +
    bands +
    shaft(0, 1, 'url(#round)') +
    `<rect x="${n(x - half * 1.25)}" y="${n(foot - tall * 0.86)}" width="${n(half * 2.5)}" height="${n(tall * 0.022)}" fill="${dark}"/>` +
    `<rect x="${n(x - half * 0.62)}" y="${n(top + tall * 0.045)}" width="${n(half * 1.24)}" height="${n(tall * 0.1)}" fill="${isLit ? '#fff1c4' : dark}"/>` +
    `<path d="M${n(x - half * 0.85)} ${n(top + tall * 0.05)} L${n(x)} ${n(top - tall * 0.03)} L${n(x + half * 0.85)} ${n(top + tall * 0.05)} Z" fill="${dark}"/>` +
    (isLit ? `<circle cx="${n(x)}" cy="${n(top + tall * 0.09)}" r="${n(tall * 0.3)}" fill="url(#flare)"/>` : '')
  );
}

/** Two shafts of light to the sides of a lamp. */
export function beamSvg({ x, y, long, colour }: { x: number; y: number; long: number; colour: string }): string {
  const beam = (side: number) =>
    `<path d="M${n(x)} ${n(y)} L${n(x + side * long)} ${n(y - long * 0.1)} V${n(y + long * 0.045)} Z" fill="url(#beam${side > 0 ? 'R' : 'L'})"/>`;
  const gradient = (name: string, from: number, to: number) =>
    `<linearGradient id="${name}" x1="${String(from)}" x2="${String(to)}"><stop offset="0" stop-color="${colour}" stop-opacity=".5"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></linearGradient>`;
  return `<defs>${gradient('beamR', 0, 1)}${gradient('beamL', 1, 0)}</defs>${beam(-1)}${beam(1)}`;
}

export function boatSvg(at: { x: number; y: number; long: number; colour: string; isRowed: boolean }): string {
  const { x, y, long, colour, isRowed } = at;
  const hull = `<path d="M${n(x - long / 2)} ${n(y - long * 0.11)} Q${n(x - long * 0.36)} ${n(y + long * 0.05)} ${n(x - long * 0.2)} ${n(y + long * 0.06)} H${n(x + long * 0.24)} Q${n(x + long * 0.42)} ${n(y + long * 0.02)} ${n(x + long / 2)} ${n(y - long * 0.13)} Q${n(x)} ${n(y - long * 0.04)} ${n(x - long / 2)} ${n(y - long * 0.11)} Z" fill="${colour}"/>`;
  const wake = `<ellipse cx="${n(x)}" cy="${n(y + long * 0.085)}" rx="${n(long * 0.62)}" ry="${n(long * 0.026)}" fill="#000" opacity=".32"/>`;
  if (!isRowed) {
    const mast = `<path d="M${n(x)} ${n(y)} V${n(y - long * 0.62)}" stroke="${colour}" stroke-width="${n(long * 0.014)}"/><path d="M${n(x + long * 0.02)} ${n(y - long * 0.6)} L${n(x + long * 0.34)} ${n(y - long * 0.12)} H${n(x + long * 0.02)} Z" fill="${colour}" opacity=".8"/>`;
    return wake + mast + hull;
  }
  const rower =
    `<circle cx="${n(x - long * 0.02)}" cy="${n(y - long * 0.29)}" r="${n(long * 0.04)}" fill="${colour}"/>` +
    `<path d="M${n(x - long * 0.09)} ${n(y - long * 0.02)} Q${n(x - long * 0.09)} ${n(y - long * 0.25)} ${n(x - long * 0.01)} ${n(y - long * 0.25)} Q${n(x + long * 0.07)} ${n(y - long * 0.22)} ${n(x + long * 0.07)} ${n(y - long * 0.02)} Z" fill="${colour}"/>` +
    `<path d="M${n(x + long * 0.02)} ${n(y - long * 0.14)} L${n(x + long * 0.48)} ${n(y + long * 0.09)} M${n(x - long * 0.05)} ${n(y - long * 0.14)} L${n(x - long * 0.42)} ${n(y + long * 0.09)}" stroke="${colour}" stroke-width="${n(long * 0.014)}" stroke-linecap="round"/>`;
  return wake + rower + hull;
}

/** Seen from behind, in a coat. */
export function personSvg(person: { x: number; foot: number; tall: number; colour: string; rim: string }): string {
  const { x, foot, tall, colour, rim } = person;
  const at = (right: number, up: number) => `${n(x + right * tall)} ${n(foot - up * tall)}`;
  return (
    `<ellipse cx="${n(x)}" cy="${n(foot)}" rx="${n(tall * 0.2)}" ry="${n(tall * 0.018)}" fill="#000" opacity=".35"/>` +
    `<g fill="${colour}" stroke="${rim}" stroke-opacity=".22" stroke-width="${n(tall * 0.006)}"><circle cx="${n(x)}" cy="${n(foot - tall * 0.92)}" r="${n(tall * 0.068)}"/>` +
    `<path d="M${at(-0.035, 0.86)} Q${at(-0.13, 0.83)} ${at(-0.135, 0.7)} L${at(-0.15, 0.3)} H${n(x + tall * 0.15)} L${at(0.135, 0.7)} Q${at(0.13, 0.83)} ${at(0.035, 0.86)} Z"/>` +
    `<path d="M${at(-0.085, 0.32)} L${at(-0.075, 0)} H${n(x - tall * 0.015)} L${at(-0.005, 0.32)} Z M${at(0.005, 0.32)} L${at(0.02, 0)} H${n(x + tall * 0.08)} L${at(0.085, 0.32)} Z"/></g>`
  );
}

/** Conifers along a line. */
export function treesSvg(
  line: readonly (readonly [x: number, y: number])[],
  { colour, height, random }: { colour: string; height: number; random: () => number },
): string {
  const every = Math.max(1, Math.round(height / 14));
  const trees = line.flatMap(([x, y], place) => {
    if (place % every !== 0 || random() < 0.12) return [];
    const tall = height * (0.6 + 0.8 * random());
    const left = x + height * (random() - 0.5) * 0.6;
    const tier = (from: number, wide: number) =>
      `M${n(left - tall * wide)} ${n(y - tall * from + tall * 0.1)} L${n(left)} ${n(y - tall * from - tall * 0.42)} L${n(left + tall * wide)} ${n(y - tall * from + tall * 0.1)} Z`;
    return [`${tier(0, 0.24)} ${tier(0.28, 0.19)} ${tier(0.55, 0.13)}`];
  });
  return `<path d="${trees.join(' ')}" fill="${colour}"/>`;
}

const n = (value: number): string => value.toFixed(2);
