import { mixed } from './palette.ts';
import { type Canvas, type Layer, n } from './plane.ts';

/** Lights far out of focus. */
export function blurred({ width, height, random, palette }: Canvas): Layer {
  const [top, middle, low] = palette.sky;
  const discs = Array.from({ length: 42 }, () => {
    const radius = height * (0.02 + 0.1 * random() ** 2);
    const colour = random() < 0.55 ? palette.accent : palette.light;
    return `<circle cx="${n(width * random())}" cy="${n(height * (0.08 + 0.75 * random()))}" r="${n(radius)}" fill="${colour}" opacity="${n(0.06 + 0.24 * random())}"/>`;
  }).join('');
  return {
    depth: 0.1,
    svg:
      `<defs><linearGradient id="back" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${mixed(top, '#000000', 0.35)}"/><stop offset=".6" stop-color="${mixed(middle, '#000000', 0.2)}"/><stop offset="1" stop-color="${mixed(low, '#000000', 0.35)}"/></linearGradient>` +
      `<filter id="far"><feGaussianBlur stdDeviation="${n(height * 0.004)}"/></filter></defs>` +
      `<rect width="${n(width)}" height="${n(height)}" fill="url(#back)"/><g filter="url(#far)">${discs}</g>`,
  };
}

/** A curved surface of metal or glass that the light slides over. */
export function sheen({ width, height, random, palette }: Canvas, depth: number): Layer {
  const [x, y] = [width * (0.3 + 0.4 * random()), height * 0.62];
  const rings = Array.from({ length: 9 }, (_, ring) => {
    const radius = height * (0.1 + 0.055 * ring);
    const colour = ring % 3 === 0 ? palette.light : ring % 3 === 1 ? palette.accent : palette.ground;
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="none" stroke="${colour}" stroke-opacity="${n(0.5 - 0.04 * ring)}" stroke-width="${n(height * (0.008 + 0.02 * random()))}"/>`;
  }).join('');
  return {
    depth,
    svg:
      `<defs><radialGradient id="ball" cx=".36" cy=".3" r=".9"><stop offset="0" stop-color="${palette.light}"/><stop offset=".25" stop-color="${palette.accent}"/><stop offset=".8" stop-color="${mixed(palette.ground, palette.accent, 0.2)}"/><stop offset="1" stop-color="${palette.ground}"/></radialGradient>` +
      `<filter id="near"><feGaussianBlur stdDeviation="${n(height * 0.003)}"/></filter></defs>` +
      `<g filter="url(#near)"><circle cx="${n(x)}" cy="${n(y)}" r="${n(height * 0.36)}" fill="url(#ball)" opacity=".75"/>${rings}</g>`,
  };
}

/** Something dark, near the camera and out of focus. */
export function edge({ width, height, random }: Canvas): Layer {
  const x = random() < 0.5 ? -0.06 : 0.86;
  return {
    depth: 1,
    svg:
      `<defs><filter id="edge"><feGaussianBlur stdDeviation="${n(height * 0.02)}"/></filter></defs>` +
      `<ellipse cx="${n(width * (x + 0.1))}" cy="${n(height * 0.9)}" rx="${n(width * 0.24)}" ry="${n(height * 0.34)}" fill="#000" opacity=".72" filter="url(#edge)"/>`,
  };
}
