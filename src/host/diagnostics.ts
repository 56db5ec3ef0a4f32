import type * as z from 'zod';
import { englishSay, type Text } from '../contract/messages/words.ts';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { damagedDatabase, damageFor, databaseFile, openDatabaseReadOnly } from '../engine/db/open.ts';
import { freeBytes } from '../engine/files/existing-paths.ts';
import { messageFor } from '../contract/messages/message.ts';
import { bytesForPeople } from '../contract/units.ts';
import { readSettings } from './settings-file.ts';
import { arch, release } from 'node:os';
import type { Counts } from '../contract/job.ts';
import type { DiagnosticsExtent } from '../contract/desktop.ts';
import type { KeyState } from '../contract/procedures.ts';
import type { Settings } from '../contract/settings.ts';
import type { Engine } from '../engine/engine.ts';
import { DatabaseError, toMessage, RefusedError, toText } from '../engine/base/errors.ts';
import type { Clock, RoutesTo } from '../engine/base/ports.ts';
import { orLate } from '../engine/base/time-limit.ts';
import { toDesktopLog, toLogFile } from './data-folder.ts';
import { packageFolder } from './package-folder.ts';
import { withoutEnd } from '../engine/base/trim-end.ts';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const LOG_BYTES = 96 * 1024;
const LOG_LINES = 400;
/** A service that has not answered by then is reported as not answering, ms. */
const SERVICE_PATIENCE_MS = 10_000;

export interface Diagnosed {
  readonly version: string;
  readonly dataFolder: string;
  readonly homeFolder: string;
  readonly clock: Clock;
  readonly appFacts?: () => Promise<readonly string[]>;
  /** Those that are known here. They are never shown. */
  readonly keys: readonly string[];
  /** Null where the engine cannot be asked. */
  readonly at: {
    readonly engine: Pick<Engine, 'views' | 'models'>;
    readonly settings: Settings;
    readonly keyState: z.infer<typeof KeyState>;
    readonly routesTo: RoutesTo;
    /** Whether the routes are those of the system's settings, and not of the environment. */
    readonly asksSystem: boolean;
  } | null;
}

/**
 * A report to find a fault, as a text for people to read before they pass it on: versions, settings, counts, the
 * doctor's findings, the end of the log. It has no key, no signed address, no name of a home folder.
 */
export async function diagnosticsFor(diagnosed: Diagnosed, extent: DiagnosticsExtent = 'whole'): Promise<string> {
  const { version, dataFolder, clock, at, appFacts } = diagnosed;
  const isWhole = extent === 'whole';
  const inEnglish = await englishSay();
  const sections: Section[] = [
    ['Versions', versionLines(version)],
    ...(appFacts ? [section('App', await appLines(appFacts))] : []),
    at ? section('Network', [await routeLine(at)]) : section('Engine', ['It does not answer.']),
    ...(at && isWhole ? await sectionsFor(at, clock, inEnglish) : []),
    ['Folders', [`data: ${dataFolder}`, `program: ${packageFolder()}`]],
    ['Checks', (await checkDataFolder(dataFolder)).map((finding) => findingLine(finding, inEnglish))],
    ...logSections(isWhole, await endOfLog(toLogFile(dataFolder)), await endOfLog(toDesktopLog(dataFolder))),
  ];
  const text = sections.map(([heading, lines]) => `## ${heading}\n\n${lines.join('\n')}\n`).join('\n');
  const head = `# Dailies: diagnostics of ${new Date(clock.now()).toISOString()}\n\n${isWhole ? NOTE : ''}\n\n`;
  return toRedactor(diagnosed)(head + text);
}

type Section = [heading: string, lines: readonly string[]];

const section = (heading: string, lines: readonly string[]): Section => [heading, lines];

/** The app's main process may be what is wrong. */
async function appLines(appFacts: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await appFacts();
  } catch (error) {
    return [`It does not answer: ${toMessage(error)}`];
  }
}

const NOTE =
  'Read it before you give it away: it may contain names of projects, shots and folders. Keys, signed addresses and\n' +
  'the name of your home folder were taken out.';

function versionLines(version: string): string[] {
  const { node, electron, chrome } = process.versions as Record<string, string | undefined>;
  return [
    `Dailies ${version}`,
    `${process.platform} ${release()} ${arch()}`,
    `Node ${node}${electron === undefined ? '' : `, Electron ${electron}, Chromium ${chrome}`}`,
  ];
}

function keyLine({ present, from, keptFor }: z.infer<typeof KeyState>): string {
  if (!present) return 'There is none.';
  return `There is one, from: ${from}.${keptFor === undefined ? '' : ' It was set for another address.'}`;
}

/** How a request to the service leaves this machine. Of a proxy only the host, since its address may hold a password. */
async function routeLine({ settings, routesTo, asksSystem }: NonNullable<Diagnosed['at']>): Promise<string> {
  if (settings.baseUrl === '') return 'No address is set.';
  const by = asksSystem ? "the system's settings" : 'the environment';
  try {
    const routes = await routesTo(new URL(settings.baseUrl));
    return `By ${by}: ${routes.map((route) => (route ? `proxy ${route.protocol}//${route.host}` : 'directly')).join(', then ')}.`;
  } catch (error) {
    return `By ${by}: ${toMessage(error)}`;
  }
}

async function sectionsFor(
  at: NonNullable<Diagnosed['at']>,
  clock: Clock,
  inEnglish: (text: Text) => string,
): Promise<Section[]> {
  const { engine, settings, keyState } = at;
  const [queue, projects] = await Promise.all([engine.views.queue(), engine.views.projects()]);
  return [
    ['Settings', [JSON.stringify(withoutReceivers(settings), null, 2)]],
    ['Key', [keyLine(keyState)]],
    ['Service', [findingLine(await serviceFinding(engine, clock), inEnglish)]],
    [
      'Queue',
      [
        countsLine(queue.counts),
        `running: ${queue.running}, paused: ${queue.pausedByUser}, under way: ${JSON.stringify(queue.status.underWay)}`,
        ...queue.status.gates.map((gate) => `held back: ${gate.reason}, ${inEnglish(gate.message)}`),
      ],
    ],
    [
      'Projects',
      projects.map(
        ({ counts, batches, available }) => `${batches} batches, ${countsLine(counts)}${available ? '' : ', away'}`,
      ),
    ],
  ];
}

/** Where messages go is often a secret by itself, and names people. */
function withoutReceivers({ messages, ...settings }: Settings) {
  const hidden = JSON.stringify(messages, (_name, value: unknown) =>
    typeof value === 'string' && value !== '' ? '[hidden]' : value,
  );
  return { ...settings, messages: { ...(JSON.parse(hidden) as object), events: messages.events } };
}

const countsLine = (counts: Counts): string =>
  Object.entries(counts)
    .map(([standing, count]) => `${count} ${standing}`)
    .join(', ');

async function serviceFinding(engine: Pick<Engine, 'models'>, clock: Clock): Promise<Finding> {
  const asked = engine.models().then(
    (models) => ok('service', `It answers and lists ${models.length} models.`),
    (error: unknown) => fail('service', toText(error), ''),
  );
  return orLate(clock, SERVICE_PATIENCE_MS, asked, fail('service', 'It did not answer in time.', ''));
}

function logSections(isWhole: boolean, engine: string[], desktop: string[]): Section[] {
  if (!isWhole) return [section('Last errors', [...lastErrors(engine), ...lastErrors(desktop)])];
  return [section(`Log, its last ${LOG_LINES} lines at most`, engine), section('Log of the desktop app', desktop)];
}

const ERRORS = 10;

/** When, what and the code of the last warnings and errors, without their facts. Pure. */
function lastErrors(log: readonly string[]): string[] {
  return log
    .flatMap((line) => {
      const [head = '', when, level, message = ''] = /^\[([^\]]+)\] \[(warn|error)\]([^{]*)/.exec(line) ?? [];
      if (when === undefined) return [];
      const [, code] = /"(?:code|status)":"?(\w+)/.exec(line.slice(head.length)) ?? [];
      return [`${when} ${level} ${message.trim()}${code === undefined ? '' : ` (${code})`}`];
    })
    .slice(-ERRORS);
}

const findingLine = ({ level, name, message }: Finding, inEnglish: (text: Text) => string): string =>
  `${level.padEnd(5)} ${name}: ${inEnglish(message)}`;

async function endOfLog(file: string): Promise<string[]> {
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const from = Math.max(0, size - LOG_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // The first line was cut somewhere, and a secret cut in two would not be known for one.
    return (from > 0 ? lines.slice(1) : lines).slice(-LOG_LINES);
  } catch (error) {
    return [`It cannot be read: ${toMessage(error)}`];
  }
}

export interface Secrets {
  readonly keys: readonly string[];
  readonly homeFolder: string;
}

/** Shorter names are part of too many other words. */
const SHORTEST_NAME = 3;
/** Lines are searched up to here, characters: no one reads more of a line, and searching takes time. */
const MAX_LINE = 4000;

/**
 * Removes private parts of a text: the keys and everything like one, the queries of addresses (result links are signed
 * there), names and passwords in addresses, and the name of the person's home folder.
 */
export function toRedactor({ keys, homeFolder }: Secrets): (text: string) => string {
  const homes = toForms(homeFolder);
  const name = basename(homeFolder);
  const user = name.length < SHORTEST_NAME ? null : new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`, 'gi');
  const cleanLine = (line: string): string => {
    let clean = shortened(line);
    for (const secret of keys.flatMap((key) => [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])) {
      clean = clean.replaceAll(secret, '[key]');
    }
    clean = clean
      .replace(/\b(Bearer|Basic)\s+[\w~+/.=-]+/gi, '$1 [key]')
      .replace(NAMED_SECRET, '$1[hidden]')
      .replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]+@/gi, '$1[hidden]@')
      .replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s?#"'<>]+)[?#][^\s"'<>]*/gi, '$1?[hidden]');
    for (const home of homes) clean = clean.replaceAll(home, '~');
    return user ? clean.replace(user, '[user]') : clean;
  };
  return (text) => text.split('\n').map(cleanLine).join('\n');
}

/** Cuts at a whole word: half a secret would not be recognized as one. */
function shortened(line: string): string {
  return line.length <= MAX_LINE ? line : `${withoutEnd(line.slice(0, MAX_LINE), /\S/)}[cut]`;
}

/** `"apiKey": "…"`, `signature=…`: values named like a secret are treated as one. */
const NAMED_SECRET =
  /((?:api[-_ ]?key|authorization|cookie|password|secret|signature|token|x-amz-[\w-]+)["']?\s*[:=]\s*["']?)(?!\[)[^\s"',;}&]+/gi;

function toForms(folder: string): string[] {
  const slashed = folder.replaceAll('\\', '/');
  const forms = [folder, JSON.stringify(folder).slice(1, -1), slashed, pathToFileURL(folder).pathname];
  // The top of the disk is no home, and is in every path.
  return [...new Set(forms)].filter((form) => form.length > 1).sort((a, b) => b.length - a.length);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Below this a night's takes may not fit, bytes. */
const COMFORTABLE_BYTES = 5 * 1000 ** 3;

export async function checkDataFolder(dataFolder: string): Promise<Finding[]> {
  const written = await checkWriting('data', dataFolder);
  if (written.level === 'fail') return [written];
  return [written, await checkRoom('disk', dataFolder, dataFolder), checkDatabase(dataFolder)];
}

/** Rights and space of a project folder. A missing one is checked by the folder it would be made in. */
export async function checkProjectFolder(path: string): Promise<Finding[]> {
  const info = await stat(path).catch(() => null);
  if (!info)
    return [
      ok('project', messageFor('doctor.projectNotMade', { folder: path })),
      await checkRoom('project', path, null),
    ];
  if (!info.isDirectory())
    return [
      fail('project', messageFor('failure.notAFolder', { folder: path }), messageFor('remedy.chooseOtherFolder')),
    ];
  return [await checkWriting('project', path), await checkRoom('project', path, null)];
}

async function checkWriting(name: string, folder: string): Promise<Finding> {
  const file = join(folder, `.dailies-doctor-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx');
    try {
      await handle.writeFile('written by dailies doctor');
      await handle.sync();
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
    return ok(name, messageFor('doctor.folderWritable', { folder }));
  } catch (error) {
    const text = messageFor('failure.fileNotWritten', { file: folder, reason: toText(error) });
    return fail(name, text, messageFor('remedy.makeWritable'));
  }
}

/** `settingsFolder` names the data folder whose settings say how much must stay free; null: the usual amount. */
async function checkRoom(name: string, folder: string, settingsFolder: string | null): Promise<Finding> {
  const free = await freeBytes(folder);
  const least = settingsFolder === null ? 0 : leastFree(settingsFolder);
  const message = messageFor('doctor.free', { size: bytesForPeople(free), folder });
  if (free <= least) return fail(name, message, messageFor('remedy.freeSpaceAbove', { size: bytesForPeople(least) }));
  return free < COMFORTABLE_BYTES ? warn(name, message, messageFor('remedy.freeSpaceForNight')) : ok(name, message);
}

function leastFree(dataFolder: string): number {
  try {
    return readSettings(dataFolder).minFreeBytes;
  } catch (error) {
    // The check of the address has reported broken settings already.
    if (error instanceof RefusedError) return 0;
    throw error;
  }
}

function checkDatabase(dataFolder: string): Finding {
  const file = databaseFile(dataFolder);
  if (!existsSync(file)) return ok('database', messageFor('doctor.noDatabase'));
  try {
    const db = openDatabaseReadOnly(dataFolder);
    if (!db) return ok('database', messageFor('doctor.noDatabase'));
    try {
      const answer = String(db.facts.pragma('quick_check(1)', { simple: true }));
      if (answer === 'ok') return ok('database', messageFor('doctor.databaseSound', { file }));
      return failedBy(damagedDatabase(dataFolder, answer));
    } finally {
      db.close();
    }
  } catch (error) {
    return failedBy(damageFor(error, dataFolder) ?? error);
  }
}

const failedBy = (error: unknown): Finding =>
  error instanceof DatabaseError
    ? fail('database', error.text, error.remedy)
    : fail('database', toText(error), messageFor('remedy.databaseUnusable'));

export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly name: string;
  readonly message: Text;
  readonly remedy?: Text;
}

export const ok = (name: string, message: Text): Finding => ({ level: 'ok', name, message });

export const warn = (name: string, message: Text, remedy: Text): Finding => ({ level: 'warn', name, message, remedy });
export const fail = (name: string, message: Text, remedy: Text): Finding => ({ level: 'fail', name, message, remedy });
