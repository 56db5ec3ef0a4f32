import { createORPCClient, type ClientContext, type ClientLink } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import { mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BRIDGE_NAME, type DesktopBridge } from '../../../src/contract/bridge.ts';
import type { Contract } from '../../../src/contract/procedures.ts';
import { startDemoService } from '../../support/demo/service.ts';
import { openDatabaseReadOnly } from '../../../src/engine/db/open.ts';
import { lockDataFolder } from '../../../src/engine/base/instance-lock.ts';
import { state } from '../electron/index.ts';

/**
 * Drives the app as it was built: its main, its engine's process, its preload script. What it saw is one line of JSON at the
 * end of its output; then it must end by itself, since nothing is left that could keep it.
 */
const [built = ''] = process.argv.slice(2);
/** Taken away: the app opens what it is started with. */
const [folder = ''] = process.argv.splice(3);
const dataFolder = join(folder, 'data');
const origin = 'dailies://app';

/** The window's own part, which is typed for a browser. */
const portLink = new URL('../../../src/renderer/lib/port-link.ts', import.meta.url).href;
const { linkOverPorts } = (await import(portLink)) as {
  linkOverPorts(gate: unknown, origin: string): ClientLink<ClientContext>;
};

const service = await startDemoService({ media: 'tiny', speed: { videoMs: 100, imageMs: 100, musicMs: 100 } });
Object.assign(process.env, {
  DAILIES_DATA: dataFolder,
  DAILIES_BASE_URL: service.url,
  DAILIES_API_KEY: service.apiKey,
});

let api: ContractRouterClient<Contract> | null = null;
state.pageScript = ({ window }) => {
  api = createORPCClient(linkOverPorts(window, origin));
};

await import(join(built, 'main', 'index.js'));
state.app.becomeReady();
const window = await seen(() => state.windows.find(({ visible }) => visible));
const page = window.webContents.page;
if (!api || !page) throw new Error('There is no page.');
const engine: ContractRouterClient<Contract> = api;

// The page, and everything it loads by itself.
const html = await page.response.text();
const scripts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
const session = window.webContents.session;
const files = await Promise.all(
  scripts.map(async (path) => {
    const { status, headers } = await session.load(new URL(path, `${origin}/`).href);
    return { path, status, type: headers.get('content-type') };
  }),
);

// One take from a list to a file, told by the stream of events.
const messages: { resync: boolean; states: string[] }[] = [];
const stream = await engine.events.changes();
const allSaved = (async () => {
  for await (const { resync, jobs } of stream) {
    messages.push({ resync, states: jobs.map((job) => job.state) });
    if (jobs.some((job) => job.state === 'saved')) return;
  }
})();
const path = join(folder, 'film');
mkdirSync(path);
const { project } = await engine.projects.open({ path });
const startShot = async (shot: string, prompt: string): Promise<void> => {
  const text = `shot,kind,model,prompt,duration\n${shot},video,vgen-2.0-nt,${prompt},5\n`;
  const source = { type: 'text', name: `${shot}.csv`, text } as const;
  const draft = await engine.drafts.open({ projectId: project.id, source });
  await engine.drafts.start({ draftId: draft.id, name: shot, again: false });
};
await startShot('010', 'A boat');
await allSaved;
const { takes } = await engine.takes.list({ projectId: project.id, start: 0, count: 10 });
const takeId = takes[0]?.id ?? '';

// Its media, as a player asks for them.
const media = async (range: string) => {
  const response = await session.load(`${origin}/media/${takeId}/1`, { headers: { range } });
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength, headers };
};
const part = await media('bytes=0-99');
const rest = await media('bytes=100-');
const beyond = await media('bytes=999999999-');
const poster = await session.load(`${origin}/thumb/${takeId}/1?w=320`, {
  method: 'PUT',
  headers: { 'content-type': 'image/png' },
  body: new Uint8Array(100),
});

// What only the app can do, as its window asks for it, and what it does by itself.
await engine.desktop.reveal({ takeId });
const { drag } = await engine.desktop.prepareDrag({ ids: [takeId] });
(page.exposed[BRIDGE_NAME] as DesktopBridge<never>).startDrag(drag);
await engine.desktop.menu({ commands: [{ id: 'go-queue', title: 'Go to queue', group: 'Go', enabled: true }] });
// It was kept awake for the take, and is let go once the takes are read again.
await seen(() => (state.held > 0 && state.awake.length === 0 ? true : undefined));
const features = {
  abilities: await engine.desktop.abilities(),
  revealed: state.revealed,
  dragged: window.webContents.dragged,
  menus: state.menu?.items.map(({ label, role }) => label ?? role),
};

// The engine dies: the window goes on with the next one.
const [first] = state.processes;
const second = engine.events.changes().then(async (changes) => {
  const cut: boolean[] = [];
  try {
    for await (const { resync } of changes) cut.push(resync);
    return { cut, ended: 'by itself' };
  } catch (error) {
    return { cut, ended: error instanceof Error ? error.constructor.name : String(error) };
  }
});
await sleep(20);
first?.kill();
const cutShort = await second;
const after = await engine.takes.list({ projectId: project.id, start: 0, count: 10 });

// A second launch: its list comes to this window, which comes to the front.
const listPath = join(folder, 'night.csv');
const events = await engine.desktop.events();
window.minimized = true;
await writeFile(listPath, 'shot,prompt\n010,A boat\n');
state.app.emit('second-instance', {}, [], folder, { paths: [listPath] });
const opened = await (async () => {
  for await (const event of events) if (event.type === 'open') return event;
  return null;
})();

const ofWindow = {
  ...window.options,
  webPreferences: { ...window.options.webPreferences, session: session.partition },
};

const secrets = [service.apiKey];
const keyOfMain = process.env['DAILIES_API_KEY'] ?? null;

// It quits while a take is being sent: the answer, which comes slowly, is waited for.
const slow = service.faults.add({
  match: { method: 'POST', prompt: 'slow boat' },
  do: { fault: 'drip', bytes: 16, pauseMs: 100 },
});
await startShot('020', 'A slow boat');
await seen(() => (service.faults.hits(slow) > 0 ? true : undefined));
state.app.quit();
const question = await seen(() => state.dialogs[0]);
const { message: asked, buttons } = question.options;
question.press(buttons?.[0] ?? '');
await seen(() => (state.app.exitStatus === null ? undefined : true));
const db = openDatabaseReadOnly(dataFolder);
const states = db?.facts.prepare('SELECT state FROM jobs ORDER BY created_at').pluck().all();
db?.close();
const logs = ['dailies.log', 'desktop.log'].map((name) => ({
  name,
  text: readFileSync(join(dataFolder, 'logs', name), 'utf8'),
}));
const lock = lockDataFolder(dataFolder, 'the test', Date.now());
const { behindSince } = lock;
lock.release();
await service.stop();

process.stdout.write(
  `${JSON.stringify({
    schemes: state.schemes,
    sandboxed: state.app.sandboxed,
    userData: state.app.paths['userData'],
    crashReporter: state.crashReporter,
    window: ofWindow,
    exposed: Object.keys(page.exposed),
    policy: page.response.headers.get('content-security-policy'),
    files,
    messages,
    part,
    rest,
    beyond,
    poster: poster.status,
    engines: state.processes.map(({ modulePath }) => modulePath),
    cutShort,
    opened,
    asked,
    states,
    logs,
    told: secrets.filter((secret) => secret === '' || logs.some(({ text }) => text.includes(secret))),
    minimized: window.minimized,
    features,
    takesAfter: after.takes.map(({ id }) => id === takeId),
    exitStatus: state.app.exitStatus,
    behindSince,
    keyOfMain,
    dialogs: state.dialogs.map(({ options }) => options.message),
    errors: state.errorBoxes,
  })}\n`,
);

/** What `look` finds, as soon as it finds something. */
async function seen<Thing>(look: () => Thing | undefined): Promise<Thing> {
  for (let tries = 0; tries < 3000; tries += 1) {
    const thing = look();
    if (thing !== undefined) return thing;
    await sleep(5);
  }
  throw new Error(`It never came: ${look.toString()}. Open dialogues: ${JSON.stringify(state.dialogs)}`);
}
