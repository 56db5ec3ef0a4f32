import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import {
  addClips,
  addMusic,
  chooseTake,
  moveClip,
  removeClips,
  setEnabled,
  toClip,
  trimClip,
  withMusic,
  type Cut,
  type Music,
  type ShotToCut,
  type StoredCut,
} from '../../contract/cut.ts';
import { KitFormat, USUAL_FORMATS } from '../../contract/kit.ts';
import { t } from '../../contract/messages/words.ts';
import { readFrameTime } from '../../contract/frame-changes.ts';
import { DEFAULT_RATE, timecode, type Rate } from '../../contract/rate.ts';
import { exportKit } from '../../engine/kit/export-kit.ts';
import { rateName } from '../../engine/kit/lists.ts';
import { cutCalled, shotsToCut, takesToCut, timelineOf } from '../../engine/review/cuts.ts';
import { kitPages } from '../../server/reports/kit-pages.ts';
import { withProject } from '../connect.ts';
import type { CommandEngine } from '../engine.ts';
import { refused } from '../exit.ts';
import { cutNamed, lookAtProject, projectAt, takeNamed } from '../look.ts';
import { copied, printList, printOne, toColumns } from '../output/list.ts';
import { plainText, shortText } from '../output/text.ts';
import { loggerFor } from '../service-access.ts';
import type { Session } from '../session.ts';
import { count, JSON_LINES, OF_PROJECT, verb, word } from '../verb.ts';
import { tableVerbs } from './table.ts';
import { fittingTakes, requireReadable } from './chosen-takes.ts';

const CUT = word('--cut <name>', 'cli.optCut');
const OF_CUT = [OF_PROJECT, CUT, JSON_LINES] as const;
const CLIP = word('<CLIP>', 'cli.argClip', { parse: count });

/** Throws InvalidArgumentError. */
function frameFrom(text: string): (rate: Rate) => number {
  const read = (rate: Rate) => readFrameTime(text, rate);
  if (typeof read(DEFAULT_RATE) !== 'number') throw new InvalidArgumentError(t('cli.notFrame', { frame: text }));
  return (rate) => read(rate) as number;
}

function gainFrom(text: string): number {
  if (!/^-?\d{1,2}(\.\d)?$/.test(text) || Number(text) < -60 || Number(text) > 12) {
    throw new InvalidArgumentError(t('cli.notGain'));
  }
  return Number(text);
}

function formatsFrom(text: string): KitFormat[] {
  const formats = text.split(',').map((each) => KitFormat.safeParse(each.trim().toLowerCase()));
  if (formats.some(({ success }) => !success)) {
    throw new InvalidArgumentError(t('cli.allowedValues', { values: KitFormat.options.join(', ') }));
  }
  return formats.flatMap(({ data }) => data ?? []);
}

const IN = word('--in <frame>', 'cli.optCutIn', { parse: frameFrom });
const OUT = word('--out <frame>', 'cli.optCutOut', { parse: frameFrom });
const ADD = [
  ...OF_CUT,
  word('--picks', 'cli.optCutPicks'),
  word('--where <query>', 'cli.optCutWhere'),
  word('--take <ids...>', 'cli.argJobId'),
  word('--at <place>', 'cli.optCutAt', { parse: count }),
] as const;
const TRIM = [
  ...[CLIP, IN, OUT, word('--length <frames>', 'cli.optCutLength', { parse: frameFrom })],
  ...[word('--clear', 'cli.optCutClear'), word('--on', 'cli.optCutOn'), word('--off', 'cli.optCutOff')],
  ...[word('--take <id>', 'cli.optCutTake'), ...OF_CUT],
] as const;
const MUSIC = [
  ...[word('[FILE]', 'cli.argMusic'), word('--take <id>', 'cli.optMusicTake'), IN, OUT],
  ...[
    word('--gain <dB>', 'cli.optGain', { parse: gainFrom }),
    word('--remove <n>', 'cli.optMusicRemove', { parse: count }),
  ],
  ...OF_CUT,
] as const;
const EXPORT = [
  word('--to <dir>', 'cli.optKitTo', { required: true }),
  word('--formats <list>', 'cli.optKitFormats', { parse: formatsFrom }),
  ...[word('--ascii', 'cli.optKitAscii'), word('--link', 'cli.optKitLink'), ...OF_CUT],
] as const;

interface OfCut {
  readonly project: string;
  readonly cut?: string;
}

const own = [
  verb('cut list', 'cli.helpCutList', [OF_PROJECT, JSON_LINES], (session, { project }) => {
    const rows = lookAtProject(session, project, ({ cuts }, { id }) => cuts.list(id));
    printList(session, {
      ...{ type: 'cut', rows, none: t('cli.noCut') },
      object: ({ name, rate, clips, music }) => ({ name, rate, clips: clips.length, music: music.length }),
      columns: toColumns('cli.cutName', '>cli.cutClips', '>cli.cutRate'),
      cells: ({ name, rate, clips }) => [shortText(name, 40), String(clips.length), rateName(rate)],
    });
  }),
  verb('cut show', 'cli.helpCutShow', OF_CUT, async (session, options) => {
    const name = cutNamed(session, options.project, options.cut);
    const { cut, timeline } = await lookAtProject(session, options.project, async (view, { id }) => {
      const stored = cutCalled(view, id, name);
      return { ...stored, timeline: await timelineOf(view, id, stored.cut) };
    });
    const laid = new Map(timeline.clips.map((clip) => [clip.id, clip]));
    const { rate, length, width, height } = timeline;
    printList(session, {
      type: 'clip',
      rows: cut.clips.map((clip, index) => ({ clip, place: index + 1, on: laid.get(clip.id) ?? null })),
      object: ({ clip: { id: _, ...clip }, place, on }) => ({
        ...{ place, ...clip, shot: clip.shot.key, batch: on?.shot.batch ?? null },
        ...{ start: on?.start ?? null, frames: on?.length ?? null, file: on?.media?.name ?? null },
        ...{ in: on?.media?.in ?? null, out: on?.media?.out ?? null },
      }),
      columns: toColumns(
        '>cli.cutPlace',
        'cli.cutStart',
        '>cli.cutFrames',
        'common.shot',
        'common.take',
        'common.files',
      ),
      cells: ({ clip, place, on }) => [
        ...[String(place), on ? timecode(on.start, rate) : t('cli.cutSwitchedOff'), String(on?.length ?? '')],
        ...[shortText(clip.shot.key, 24), String(on?.media?.take ?? ''), plainText(on?.media?.name ?? t('kit.noTake'))],
      ],
      below: [
        ...timeline.music.map((each, index) =>
          t('cli.cutMusic', {
            ...{ place: index + 1, name: plainText(each.media.name), start: timecode(each.start, rate) },
            ...{ end: timecode(each.start + each.length, rate), gain: each.gain },
          }),
        ),
        t('cli.cutLength', {
          name: plainText(name),
          length: timecode(length, rate),
          rate: rateName(rate),
          size: `${width}x${height}`,
        }),
      ],
      last: { type: 'timeline', name, rate, width, height, length, music: timeline.music },
    });
  }),
  verb('cut new', 'cli.helpCutNew', [word('<NAME>', 'cli.argNewName'), OF_PROJECT, JSON_LINES], (session, given) =>
    withProject(session, given.project, async ({ api }) => {
      const { id: projectId } = projectAt(session, given.project);
      await saved(session, { api }, projectId, {
        cut: await api.cuts.fromPicks({ projectId, name: given.name }),
        revision: null,
      });
    }),
  ),
  /** Makes the first cut of a project. */
  verb('cut add', 'cli.helpCutAdd', ADD, (session, { picks, where, take, at, ...options }) => {
    if ([picks, where, take].filter(Boolean).length !== 1) throw refused('cli.whatToCut');
    requireReadable(where);
    return withProject(session, options.project, async (engine) => {
      const { id: projectId } = projectAt(session, options.project);
      const known = await engine.api.cuts.list({ projectId });
      const isFirst = known.length === 0;
      if (isFirst && picks) {
        const cut = await engine.api.cuts.fromPicks({ projectId, name: options.cut ?? t('cut.firstName') });
        return saved(session, engine, projectId, { cut, revision: null });
      }
      const stored: StoredCut | { cut: Cut; revision: null } = isFirst
        ? {
            cut: {
              ...(await engine.api.cuts.fromPicks({ projectId, name: options.cut ?? t('cut.firstName') })),
              clips: [],
            },
            revision: null,
          }
        : await engine.api.cuts.get({ projectId, name: cutNamed(session, options.project, options.cut) });
      const shots = await wantedShots(session, options.project, { where, take });
      const has = new Set(stored.cut.clips.map(({ shot }) => JSON.stringify(shot)));
      const added = picks ? shots.filter(({ shot }) => !has.has(JSON.stringify(shot))) : shots;
      const cut = addClips(stored.cut, added.map(toClip), at === undefined ? undefined : at - 1);
      await saved(session, engine, projectId, { ...stored, cut });
    });
  }),
  verb(
    'cut move',
    'cli.helpCutMove',
    [CLIP, word('<PLACE>', 'cli.argPlace', { parse: count }), ...OF_CUT],
    (session, given) => edit(session, given, (cut) => moveClip(cut, clipAt(cut, given.clip), given.place - 1)),
  ),
  verb('cut drop', 'cli.helpCutDrop', [CLIP, ...OF_CUT], (session, given) =>
    edit(session, given, (cut) => removeClips(cut, [clipAt(cut, given.clip)])),
  ),
  verb('cut trim', 'cli.helpCutTrim', TRIM, (session, given) => {
    const { in: from, out, length, clear, on, off, take } = given;
    const chosen = take === undefined ? null : takeNamed(session, take).id;
    return edit(session, given, (cut) => {
      const id = clipAt(cut, given.clip);
      // Seconds are counted in the frames of the cut.
      const trim = {
        ...(clear && { in: null, out: null, length: null }),
        ...(from && { in: from(cut.rate) }),
        ...(out && { out: out(cut.rate) }),
        ...(length && { length: Math.max(1, length(cut.rate)) }),
      };
      if (trim.in != null && trim.out != null && trim.in >= trim.out) throw refused('cli.outBeforeIn');
      const shown = chosen === null ? cut : chooseTake(cut, id, chosen);
      const trimmed = trimClip(shown, id, trim);
      return on || off ? setEnabled(trimmed, [id], on === true) : trimmed;
    });
  }),
  verb('cut music', 'cli.helpCutMusic', MUSIC, (session, { file, take, gain = 0, remove, in: from, out, ...given }) => {
    if ([file, take, remove].filter((each) => each !== undefined).length !== 1) throw refused('cli.whichMusic');
    return edit(session, given, async (cut, { api }, projectId) => {
      if (remove !== undefined) return withMusic(cut, cut.music.toSpliced(remove - 1, 1));
      const source: Music['source'] =
        file === undefined
          ? { type: 'take', take: takeNamed(session, take ?? '').id, output: 1 }
          : await api.cuts.addSound({ projectId, path: resolve(session.shell.cwd, file) });
      return addMusic(cut, { source, gain, ...(from && { in: from(cut.rate) }), ...(out && { out: out(cut.rate) }) });
    });
  }),
  verb(
    'cut export',
    'cli.helpCutExport',
    EXPORT,
    async (session, { to, ascii = false, link = false, formats, ...options }) => {
      const { shell, dataFolder } = session;
      const name = cutNamed(session, options.project, options.cut);
      const folder = resolve(shell.cwd, to);
      const wanted = { name, folder, ascii, link, formats: formats ?? [...USUAL_FORMATS] };
      const host = { dataFolder, clock: shell.clock, logger: loggerFor(session, null) };
      const done = await lookAtProject(session, options.project, (view, { id: projectId }) =>
        copied(session, exportKit(view, { ...wanted, projectId }, kitPages(view, projectId, host))),
      );
      const { files } = done;
      printOne(
        session,
        { type: 'exported', folder, files },
        t('cli.kitExported', { files, folder: plainText(folder) }),
      );
    },
  ),
];

export const verbs = [...own, ...tableVerbs('cut', own)];

function clipAt({ clips }: Cut, place: number): string {
  const clip = clips[place - 1];
  if (clip) return clip.id;
  throw refused('cli.noClip', { place, count: clips.length });
}

type Change = (cut: Cut, engine: CommandEngine, projectId: string) => Cut | Promise<Cut>;

const edit = (session: Session, { project, cut: named }: OfCut, change: Change): Promise<void> =>
  withProject(session, project, async (engine) => {
    const { id: projectId } = projectAt(session, project);
    const { cut, revision } = await engine.api.cuts.get({ projectId, name: cutNamed(session, project, named) });
    await saved(session, engine, projectId, { cut: await change(cut, engine, projectId), revision });
  });

async function saved(
  session: Session,
  { api }: Pick<CommandEngine, 'api'>,
  projectId: string,
  { cut, revision }: { readonly cut: Cut; readonly revision: string | null },
): Promise<void> {
  const done = await api.cuts.save({ projectId, cut, revision });
  const { name, clips } = cut;
  const line = done ? t('cli.cutSaved', { name: plainText(name), count: clips.length }) : t('cli.nothingChanged');
  printOne(
    session,
    { type: 'cut', name: done?.result.name ?? name, clips: clips.length, changed: done !== null },
    line,
  );
}

/** Picks of shots, or the takes that fit in the order of the lists. */
function wantedShots(
  session: Session,
  project: string,
  { where, take }: { readonly where?: string | undefined; readonly take?: readonly string[] | undefined },
): Promise<ShotToCut[]> | ShotToCut[] {
  return lookAtProject(session, project, (view, { id }) => {
    if (where === undefined && take === undefined) return shotsToCut(view, id);
    const ids = take
      ? take.map((text) => takeNamed(session, text).id)
      : fittingTakes(view, { project, where: `state:saved ${where ?? ''}` }, session).map((each) => each.id);
    if (ids.length === 0) throw refused('cli.noSelects');
    return takesToCut(view, ids);
  });
}
