import { createHash } from 'node:crypto';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import { t, spoken } from '../../contract/messages/words.ts';
import type { Reel, ReelText, ReelTexts } from '../../contract/reel.ts';
import { reelPage } from '../../reel/page.ts';
import { reelPlayer } from '../../reel/player.ts';
import { html, Html } from './timeline.ts';

const STYLE = `
:root{color-scheme:light dark;--ground:#fafafa;--card:#fff;--text:#141414;--soft:#555;--line:#d4d4d4;--accent:#a05300;
--on:#fff}
@media (prefers-color-scheme:dark){:root{--ground:#141414;--card:#1d1d1d;--text:#ececec;--soft:#b0b0b0;--line:#3a3a3a;
--accent:#f0a13a;--on:#1b1b1b}}
*{box-sizing:border-box;margin:0}[hidden]{display:none!important}
body{background:var(--ground);color:var(--text);font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC",
"Microsoft YaHei","Noto Sans CJK SC",sans-serif;min-height:100dvh;display:grid;grid-template-columns:minmax(0,1fr) 360px;
grid-template-rows:auto minmax(0,1fr) auto auto;height:100dvh;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
header,nav,ol#clips{grid-column:1/-1}
header{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;padding:10px 16px;border-bottom:1px solid var(--line)}
h1{font-size:18px;flex:1 1 160px;min-width:0}#said{color:var(--soft);font-size:14px}
main{background:#000;position:relative;min-height:0}
main>*{position:absolute;inset:0;width:100%;height:100%;object-fit:contain}
aside{padding:16px;overflow-y:auto;border-left:1px solid var(--line);display:flex;flex-direction:column;gap:14px}
h2{font-size:22px;line-height:1.2}h2 small{font-size:15px;font-weight:400;color:var(--soft);margin-left:6px}
#text{color:var(--soft);max-height:9em;overflow-y:auto}
#verdict,#at-frames{display:flex;flex-direction:column;gap:12px}
label{display:flex;flex-direction:column;gap:4px;font-size:14px;color:var(--soft)}
input,textarea{font:inherit;font-size:16px;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:8px;
padding:9px 12px;min-height:44px;width:100%}
textarea{resize:vertical;min-height:88px}
header label{flex:0 1 240px}
button{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:8px;min-width:44px;
min-height:44px;padding:0 12px;cursor:pointer;touch-action:manipulation}
button:active{border-color:var(--accent)}button[aria-pressed=true],button.main{background:var(--accent);border-color:var(--accent);
color:var(--on)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
#stars{display:flex;gap:6px}#stars button{flex:1;font-size:22px;padding:0;background:none;color:var(--accent);border-color:var(--line)}
#flags{display:flex;gap:6px}#flags button{flex:1 1 auto;padding:0 8px}
#note-form{display:flex;gap:6px;align-items:end}#note-form label{flex:1}aside>small{color:var(--soft)}
.playing #play svg:first-child,body:not(.playing) #play svg:last-child{display:none}
#notes{list-style:none;padding:0;display:flex;flex-direction:column}
#notes li{display:flex;gap:8px;align-items:center;justify-content:space-between;border-top:1px solid var(--line);padding:6px 0;
min-height:44px}
nav{display:flex;gap:8px;align-items:center;justify-content:center;padding:10px 16px;border-top:1px solid var(--line)}
nav button{min-width:56px;display:grid;place-items:center}#position{min-width:9em;color:var(--soft);font-size:14px}
ol#clips{list-style:none;display:flex;gap:6px;overflow-x:auto;padding:0 16px 12px}
#clips button{flex:none;max-width:150px;display:flex;flex-direction:column;justify-content:center;align-items:flex-start;padding:4px 12px}
#clips b{max-width:100%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:14px}
#clips small{color:var(--accent);min-height:1.3em;line-height:1.3}
#clips button[aria-current]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
@media (max-width:899px){body{grid-template-columns:minmax(0,1fr);grid-template-rows:auto auto auto auto auto;height:auto}
main{aspect-ratio:16/9;max-height:60dvh;width:100%}aside{border-left:0;grid-row:5;overflow:visible}}
`;

/**
 * The page of a reel, whole: it asks for nothing but its media, runs nothing but its own script, and has what people
 * wrote as data.
 */
export function reelPageFor(reel: Reel): string {
  const texts = textsFor();
  const script = `(${reelPage.toString()})(${reelPlayer.toString()})`;
  const policy = [
    ...["default-src 'none'", "img-src 'self' file:", "media-src 'self' file:", "style-src 'unsafe-inline'"],
    ...[`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`, "base-uri 'none'"],
    "form-action 'none'",
  ].join('; ');
  // Nothing in it may end the element.
  const data = JSON.stringify({ reel, texts }).replaceAll('<', '\\u003c');
  const tool = (id: Tool, label: string) =>
    html`<button type="button" id="${id}" aria-label="${label}">${SIGNS[id].map(toSign)}</button>`;
  return html`<!doctype html>
    <html lang="${spoken()}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width" />
        <title>${reel.name}</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <header>
          <h1 dir="auto">${reel.name}</h1>
          <p id="said" role="status" dir="auto"></p>
          <label>${texts.reviewer}<input id="reviewer" maxlength="100" autocomplete="name" dir="auto" /></label>
          <button type="button" id="save" class="main">${texts.save}</button>
        </header>
        <main>
          <video id="film-a" playsinline preload="auto" hidden></video>
          <video id="film-b" playsinline preload="auto" hidden></video>
          <img id="still" alt="" hidden />
        </main>
        <aside>
          <h2><span id="shot" dir="auto"></span><small id="take"></small></h2>
          <p id="text" dir="auto"></p>
          <div id="verdict">
            <div id="stars"></div>
            <div id="flags"></div>
            <label>${texts.note}<textarea id="note" maxlength="10000" dir="auto"></textarea></label>
            <section id="at-frames" aria-label="${texts.frameNotes}">
              <form id="note-form">
                <label>${texts.noteHere}<input id="frame-note" maxlength="2000" dir="auto" /></label>
                <button>${texts.add}</button>
              </form>
            </section>
            <ul id="notes"></ul>
          </div>
          <small>${texts.keys}</small>
        </aside>
        <nav>
          ${tool('previous', texts.previous)} ${tool('back', texts.frameBack)} ${tool('play', texts.play)}
          ${tool('forward', texts.frameForward)} ${tool('next', texts.next)}
          <span id="position"></span>
        </nav>
        <ol id="clips" aria-label="${texts.clips}"></ol>
        ${new Html(`<script type="application/json" id="data">${data}</script><script>${script}</script>`)}
      </body>
    </html> `.text;
}

type Tool = 'previous' | 'back' | 'play' | 'forward' | 'next';

/** Drawn, because few systems have letters for all of them. The second one of `play` is shown while it plays. */
const SIGNS: Readonly<Record<Tool, readonly string[]>> = {
  previous: ['M5 5h3v14H5zM20 5v14L9 12z'],
  back: ['M15 6v12l-8-6z'],
  play: ['M7 4v16l13-8z', 'M6 5h4v14H6zM14 5h4v14h-4z'],
  forward: ['M9 6v12l8-6z'],
  next: ['M16 5h3v14h-3zM4 5v14l11-7z'],
};
const toSign = (path: string): Html =>
  html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <path fill="currentColor" d="${path}" />
  </svg>`;

type Plain = Exclude<ReelText, 'position' | 'take' | 'stars' | 'saved'>;

const PLAIN: Readonly<Record<Plain, PlainKey>> = {
  ...({ reviewer: 'reel.reviewer', reviewerNeeded: 'reel.reviewerNeeded', save: 'reel.save' } as const),
  ...({ notKept: 'reel.notKept', unplayable: 'reel.unplayable', keys: 'reel.keys', clips: 'reel.clips' } as const),
  ...({ previous: 'reel.previous', next: 'reel.next', play: 'review.play', pause: 'common.pause' } as const),
  ...({ frameBack: 'reel.frameBack', frameForward: 'reel.frameForward', slate: 'kit.noTake' } as const),
  ...({ pick: 'review.pick', alternate: 'review.alternate', reject: 'review.reject', note: 'reel.note' } as const),
  ...({
    frameNotes: 'review.frameNotes',
    noteHere: 'reel.noteHere',
    add: 'common.add',
    remove: 'reel.remove',
  } as const),
};

/** Figures are filled in by the page. */
const textsFor = (): ReelTexts => ({
  ...(Object.fromEntries(Object.entries(PLAIN).map(([name, key]) => [name, t(key)])) as Record<Plain, string>),
  position: t('reel.position', { at: '{at}', count: '{count}' }),
  take: t('common.takeNumber', { take: '{take}' }),
  stars: t('reel.stars', { stars: '{stars}' }),
  saved: t('reel.saved', { file: '{file}' }),
});
