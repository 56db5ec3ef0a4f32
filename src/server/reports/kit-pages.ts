import { join } from 'node:path';
import type { KitFormat } from '../../contract/kit.ts';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import { t, spoken } from '../../contract/messages/words.ts';
import { isSameRate, timecode } from '../../contract/rate.ts';
import type { Stores } from '../../engine/db/stores.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import type { KitPages } from '../../engine/kit/export-kit.ts';
import type { Kit, KitFile, KitItem } from '../../engine/kit/kit.ts';
import { rateName } from '../../engine/kit/lists.ts';
import { projectFor } from '../../engine/projects/overview.ts';
import { openTakeFile } from '../media/served-file.ts';
import { thumbKey, Thumbs } from '../media/thumbs.ts';
import { html, Html, type Part } from './timeline.ts';

/** Pages of a kit that people read and print: without scripts, requests and links out. */

const STYLE = `
:root{color-scheme:light dark;--text:#141414;--soft:#555;--line:#ddd;--tile:#ebebeb}
@media (prefers-color-scheme:dark){:root{--text:#ececec;--soft:#b0b0b0;--line:#383838;--tile:#262626}}
@media print{:root{color-scheme:light;--text:#141414;--soft:#555;--line:#ddd;--tile:#ebebeb}}
@page{size:A4;margin:12mm}
*{box-sizing:border-box;margin:0}
body{color:var(--text);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Microsoft YaHei",
"Noto Sans CJK SC",sans-serif;max-width:1080px;margin:0 auto;padding:32px;overflow-wrap:anywhere}
@media print{body{padding:0;font-size:11px}}
h1{font-size:26px;line-height:1.2}h2{font-size:16px;margin:28px 0 8px}
header p,small{color:var(--soft)}
.shots{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:20px 14px;margin-top:24px;padding:0;list-style:none}
@media (max-width:760px){.shots{grid-template-columns:repeat(2,minmax(0,1fr))}}
.shots li{break-inside:avoid}
.frame{aspect-ratio:16/9;background:var(--tile);border-radius:6px;overflow:hidden;display:grid;place-items:center;
color:var(--soft);margin-bottom:6px}
.frame img{width:100%;height:100%;object-fit:contain}
.shots b{display:flex;justify-content:space-between;gap:8px}
.shots b span{font-weight:400;color:var(--soft)}
.shots p,.shots small{display:block}
table{border-collapse:collapse;width:100%;margin-top:20px}
th,td{text-align:left;vertical-align:top;padding:8px 12px 8px 0;border-top:1px solid var(--line)}
td:first-child{white-space:nowrap;font-weight:600}
`;
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const page = (title: string, ...body: readonly Part[]): string =>
  html`<!doctype html>
    <html lang="${spoken()}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `.text;

export interface KitPageParts {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function kitPages(
  { outputs, projects }: Pick<Stores, 'outputs' | 'projects'>,
  projectId: string,
  { dataFolder, ...host }: KitPageParts,
): KitPages {
  const thumbs = new Thumbs(join(dataFolder, 'thumbs'), host);
  const project = projectFor(projects, projectId).path;
  const pictureOf = async ({ source, type }: KitFile): Promise<string | null> => {
    if (!('takeId' in source)) return null;
    const output = outputs.outputs(source.takeId).find(({ number }) => number === source.output);
    if (!output) return null;
    const file = { projectId, project, output };
    const open = () => openTakeFile(file);
    const small = await (type === 'still' ? thumbs.of(thumbKey(file), 320, open) : thumbs.kept(thumbKey(file), 320));
    return small && `data:image/webp;base64,${small.toString('base64')}`;
  };
  return async (kit, formats) => ({
    'contact-sheet.html': await contactSheet(kit, pictureOf),
    'README.html': readMe(kit, formats),
  });
}

async function contactSheet(kit: Kit, pictureOf: (file: KitFile) => Promise<string | null>): Promise<string> {
  const shots: Html[] = [];
  const seen = [...kit.tracks.flatMap(({ items }) => items)];
  for (const clip of kit.timeline.clips) {
    const item = seen.find((each) => each.clip === clip && each.enabled);
    if (item) shots.push(shotOf(item, await pictureOf(item.file), kit));
  }
  const title = `${kit.timeline.name}: ${t('kit.contactSheet')}`;
  return page(
    title,
    html`<header>
        <h1 dir="auto">${kit.timeline.name}</h1>
        ${figures(kit)}
      </header>
      <ol class="shots">
        ${shots}
      </ol>`,
  );
}

function shotOf(item: KitItem, picture: string | null, { timeline: { rate } }: Kit): Html {
  const { clip, file, start, length, in: from, out, note, notes } = item;
  const { source } = file;
  const { rating = 0 } = 'verdict' in source ? source.verdict : {};
  const take = 'take' in source ? t('common.takeNumber', { take: String(source.take) }) : t('kit.noTake');
  return html`<li>
    <div class="frame">${picture === null ? (clip?.shot.key ?? '') : html`<img src="${picture}" alt="" />`}</div>
    <b dir="auto">${clip?.shot.key ?? ''} <span>${timecode(start, rate)}</span></b>
    <small
      >${[take, `${length}f`, ...(file.type === 'film' ? [`${from}–${out}`] : []), '★'.repeat(rating)].filter(Boolean).join(' · ')}</small
    >
    ${note === '' ? null : html`<p dir="auto">${note}</p>`}
    ${notes.map(({ from: at, text }) => html`<p dir="auto">${t('kit.note', { at: `${at}f`, text })}</p>`)}
  </li>`;
}

const figures = ({ timeline: { clips, length, rate } }: Kit): Html =>
  html`<p>
    ${[
      t('kit.shots', { count: clips.length }),
      t('kit.length', { length: timecode(length, rate) }),
      t('kit.rate', { rate: rateName(rate) }),
    ].join(' · ')}
  </p>`;

type Row = readonly [file: string, what: PlainKey, how: PlainKey];

const ROWS: Readonly<Record<KitFormat, readonly Row[]>> = {
  otio: [['cut.otio', 'kit.otio', 'kit.otioHow']],
  otioz: [['cut.otioz', 'kit.otioz', 'kit.otiozHow']],
  fcpxml: [['cut.fcpxml', 'kit.fcpxml', 'kit.fcpxmlHow']],
  xmeml: [['cut.xml', 'kit.xmeml', 'kit.xmemlHow']],
  edl: [
    ['cut.edl', 'kit.edl', 'kit.edlHow'],
    ['markers.edl', 'kit.markers', 'kit.markersHow'],
  ],
  ale: [['takes.ale', 'kit.ale', 'kit.aleHow']],
};

function readMe(kit: Kit, formats: readonly KitFormat[]): string {
  const { timeline, files } = kit;
  const rows: readonly Row[] = [
    ['media', 'kit.media', 'kit.mediaHow'],
    ...formats.flatMap((format) => ROWS[format]),
    ['selects.csv', 'kit.selects', 'kit.selectsHow'],
    ['contact-sheet.html', 'kit.contactSheetWhat', 'kit.browser'],
    ['README.html', 'kit.page', 'kit.browser'],
  ];
  const films = files.flatMap(({ source, type, name, rate }) =>
    type === 'film' && 'facts' in source ? [{ name, rate, facts: source.facts }] : [],
  );
  const named = (title: PlainKey, names: readonly string[]): Html | null =>
    names.length === 0
      ? null
      : html`<h2>${t(title)}</h2>
          <ul>
            ${names.map((name) => html`<li dir="auto">${name}</li>`)}
          </ul>`;
  const isOther = ({ rate }: (typeof films)[number]): boolean => !isSameRate(rate, timeline.rate);
  return page(
    timeline.name,
    html`<header>
        <h1 dir="auto">${timeline.name}</h1>
        ${figures(kit)}
        <p>${t('kit.intro')} ${t('kit.moved')}</p>
      </header>
      <table>
        <tr>
          <th>${t('kit.file')}</th>
          <th>${t('kit.what')}</th>
          <th>${t('kit.how')}</th>
        </tr>
        ${rows.map(
          ([file, what, how]) =>
            html`<tr>
              <td dir="ltr">${file}</td>
              <td>${t(what)}</td>
              <td>${t(how)}</td>
            </tr>`,
        )}
      </table>
      ${named(
        'kit.variable',
        films.filter(({ facts }) => facts.isVariable).map(({ name }) => name),
      )}
      ${named(
        'kit.otherRate',
        films.filter(isOther).map(({ name, rate }) => `${name}: ${rateName(rate)}`),
      )}
      ${named(
        'kit.unknown',
        films.filter(({ facts }) => !facts.rate || facts.frames === undefined).map(({ name }) => name),
      )}
      ${named(
        'kit.slates',
        timeline.clips.flatMap(({ media, shot }) => (media ? [] : [shot.key])),
      )}`,
  );
}
