import type { TimelineClip } from '../../contract/timeline.ts';
import { drawSvg } from '../base/pictures.ts';
import { escapeXml } from './xml.ts';

/** Programs read no wider pictures on a timeline without trouble. */
const MAX_SIDE = 4096;
const MAX_LINES = 6;
const FONTS = 'Inter,Helvetica,Arial,PingFang SC,Microsoft YaHei,Noto Sans CJK SC,sans-serif';
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The picture of a shot that has no take: its key and text, in the size of the cut. Never wider than 4096 pixels. */
export function drawSlate(
  clip: TimelineClip,
  size: { readonly width: number; readonly height: number },
): Promise<Buffer> {
  return drawSvg(slateSvg(clip, size));
}

/** Pure. */
function slateSvg({ shot }: TimelineClip, size: { readonly width: number; readonly height: number }): string {
  const scale = Math.min(1, MAX_SIDE / Math.max(size.width, size.height));
  const [width, height] = [size.width, size.height].map((side) => Math.max(16, Math.round(side * scale))) as [
    number,
    number,
  ];
  const unit = Math.min(width, height * 1.6) / 100;
  const lines = wrapped(shot.text, 46);
  const left = width / 2 - unit * 42;
  const text = (line: string, y: number, em: number, fill: string, weight = 400): string =>
    `<text x="${left.toFixed(1)}" y="${y.toFixed(1)}" font-size="${(unit * em).toFixed(1)}" fill="${fill}" ` +
    `font-weight="${weight}">${escapeXml(line)}</text>`;
  const top = height / 2 - unit * (8 + 2 * lines.length) + unit * 6;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${FONTS}">`,
    '<rect width="100%" height="100%" fill="#17181b"/>',
    text(clipped(shot.batch, 60), top - unit * 8, 2.6, '#8b8f98'),
    text(clipped(shot.key, 26), top, 6, '#f2f2f2', 700),
    ...lines.map((line, index) => text(line, top + unit * (6 + 4.4 * index), 3.2, '#c4c7cd')),
    '</svg>',
  ].join('');
}

/** Wide characters of East Asia count twice. */
const widthOf = (grapheme: string): number => (/[\u1100-\u115F\u2E80-\uFFDC]/.test(grapheme) ? 2 : 1);

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let [line, width] = ['', 0];
  for (const { segment } of graphemes.segment(text.slice(0, 1000).replace(/\s+/g, ' ').trim())) {
    if (width + widthOf(segment) > columns) {
      const space = segment === ' ' ? -1 : line.lastIndexOf(' ');
      const rest = space > columns / 2 ? line.slice(space + 1) : '';
      lines.push(rest === '' ? line : line.slice(0, space));
      [line, width] = [rest, rest.length];
    }
    line += segment;
    width += widthOf(segment);
  }
  if (line !== '') lines.push(line);
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES - 1), `${lines[MAX_LINES - 1] ?? ''} …`];
}

const clipped = (text: string, most: number): string => {
  const [first = '', second] = wrapped(text, most);
  return second === undefined ? first : `${first}…`;
};
