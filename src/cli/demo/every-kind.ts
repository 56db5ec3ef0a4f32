import { type MessageKey, say, sayText } from '../../contract/messages/words.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { plainText, shortText, tableLines } from '../output/text.ts';
import { takeName } from '../output/words.ts';
import type { ReadList } from '../read-list.ts';
import { knownProject, viewDataFolder } from '../look.ts';
import { type Demo, demoList, performDemo } from './perform-demo.ts';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import type { Medium } from '../../contract/formats.ts';
import type { JobView } from '../../contract/job.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { readTable } from '../../engine/batches/read-table.ts';
import { inspectFile } from '../../engine/downloads/verify.ts';
import { placeIn } from '../../engine/files/place.ts';
import { openFile } from '../../engine/files/project-files.ts';
import { shotNamed, shotReferences } from '../../engine/kinds/shot-reference.ts';
import type { FaultRule } from '../../demo/service.ts';

const ANSWER = { method: 'POST', path: /^(?!\/v1\/assets)/ };
const QUERY = { method: 'GET', path: /^(?!\/media\/|\/v1\/assets)/ };
const FILE = { method: 'GET', path: '/media/*' };

/** Faults of the demo service that a take recovers from without another billable request, by their own names. */
const faultWords = {
  // Before `drip`, which strikes all answers: the first rule that strikes a request wins.
  busy: { match: ANSWER, do: { fault: 'rate-limit', seconds: 1 }, says: 'cli.faultBusy' },
  drip: {
    match: { ...ANSWER, times: 'always' },
    do: { fault: 'drip', bytes: 4096, pauseMs: 20 },
    says: 'cli.faultDrip',
  },
  reset: { match: QUERY, do: { fault: 'reset' }, says: 'cli.faultReset' },
  html: { match: QUERY, do: { fault: 'html', status: 502 }, says: 'cli.faultHtml' },
  cut: { match: FILE, do: { fault: 'cut', afterBytes: 256 }, says: 'cli.faultCut' },
} as const satisfies Record<string, FaultRule & { readonly says: MessageKey }>;
type FaultWordName = keyof typeof faultWords;
export const faultWordNames = Object.keys(faultWords) as FaultWordName[];

/** The demo's account lacks the asynchronous endpoint of these, so that the synchronous ones are used too. */
export const SYNCHRONOUS_ONLY = ['image-demo-pro'];

/**
 * Makes a take of every kind, family and operation and checks each; then makes them all once more, with faults on
 * purpose for every kind. Ends with a status other than 0 when a take is wrong or was paid for twice.
 */
export async function demoEveryKind(demo: Demo, words: readonly FaultWordName[] = faultWordNames): Promise<ExitStatus> {
  const list = await demoList(demo, 'every-kind.csv');
  const kinds = [...new Set(list.checked.shots.map(({ kind }) => kind))];
  const first = await round(demo, list, 'every-kind');
  if (first !== exitStatus.saved) return first;
  const { faults } = demo.service;
  const rules = kinds.flatMap((kind) =>
    words.map((word) => {
      const { match, do: fault } = faultWords[word];
      return { kind, word, rule: faults.add({ match: { ...match, kind }, do: fault }) };
    }),
  );
  const second = await round(demo, list, 'every-kind-faults');
  if (second !== exitStatus.saved) return second;
  demo.reporter.say('');
  const met = rules.filter(({ rule }) => faults.hits(rule) > 0);
  for (const kind of kinds) {
    const recovered = met.filter((each) => each.kind === kind).map(({ word }) => say(faultWords[word].says));
    const line = say('cli.recovered', { kind, faults: recovered.join(', ') });
    demo.reporter.say(recovered.length === 0 ? say('cli.metNoFault', { kind }) : line);
  }
  const unmet = [...new Set(words)].filter((word) => !met.some((each) => each.word === word));
  const spared = kinds.filter((kind) => !met.some((each) => each.kind === kind));
  return told(demo, [
    ...unmet.map((word) => say('cli.faultUnused', { fault: word })),
    ...(words === faultWordNames ? spared : []).map((kind) => say('cli.kindWithoutFault', { kind })),
  ]);
}

async function round(demo: Demo, list: ReadList, batch: string): Promise<ExitStatus> {
  const { service, reporter, out } = demo;
  const before = service.ledger.commits;
  const sentBefore = attemptsIn(demo, batch);
  const status = await performDemo(demo, list, batch);
  if (status !== exitStatus.saved) return status;
  const { jobs, folder, project } = takesOf(demo, batch);
  const takes = await checkTakes(jobs, { project, folder, shots: list.checked.shots });
  reporter.say('');
  for (const line of tableLines(columns(), takes.map(cells))) reporter.say(line);
  reporter.say(say('cli.allIn', { folder: plainText(out) }));
  const charged = service.ledger.commits - before;
  const sent = attemptsIn(demo, batch) - sentBefore;
  reporter.say(say('cli.sentAndCharged', { sent, charged }));
  return told(demo, [
    ...takes.flatMap(({ job, problems }) => problems.map((problem) => `${takeName(job)}: ${problem}`)),
    ...(charged === sent ? [] : [say('cli.chargedWrongly', { sent, charged })]),
  ]);
}

const columns = () =>
  (['cli.shot', 'cli.take', 'cli.kind', 'cli.model', 'cli.filesColumn', 'cli.from'] as const).map((title) => ({
    title: say(title),
  }));

const cells = ({ job, formats, from }: CheckedTake): string[] => [
  shortText(job.shot, 20),
  String(job.take),
  job.kind,
  shortText(job.model, 20),
  formats.join(', '),
  from.join(', '),
];

function takesOf({ session, out }: Demo, name: string) {
  return viewDataFolder(session.dataFolder, (view) => {
    const project = knownProject(view.projects, out);
    const batch = project && view.batches.named(project.id, name);
    if (!batch) return { jobs: [], folder: '', project: out };
    return {
      jobs: view.queries.list({ batchId: batch.id, current: true }),
      folder: batch.folder,
      project: project.path,
    };
  });
}

const attemptsIn = (demo: Demo, batch: string): number =>
  takesOf(demo, batch).jobs.filter(({ sentAt }) => sentAt !== undefined).length;

function told({ session }: Demo, problems: readonly string[]): ExitStatus {
  for (const problem of problems) session.shell.stderr.write(`${plainText(problem)}\n`);
  return problems.length === 0 ? exitStatus.saved : exitStatus.failed;
}

interface CheckedTake {
  readonly job: JobView;
  readonly formats: readonly string[];
  /** `I-still take 1` for each take that it came from. */
  readonly from: readonly string[];
  readonly problems: readonly string[];
}

interface Checked {
  readonly project: string;
  readonly folder: string;
  readonly shots: readonly ShotSpec[];
}

async function checkTakes(jobs: readonly JobView[], checked: Checked): Promise<CheckedTake[]> {
  const { project, folder, shots } = checked;
  const manifest = await readTable({ bytes: await readFile(join(project, folder, 'manifest.csv')) });
  const cell = (row: readonly string[], header: string): string => row[manifest.headers.indexOf(header)] ?? '';
  const listed = new Map(manifest.rows.map((row) => [cell(row, 'file'), cell(row, 'from')]));
  const specs = new Map(shots.map((spec) => [spec.key, spec]));
  const takes: CheckedTake[] = [];
  for (const job of jobs) {
    const problems: string[] = job.files.length === 0 ? [say('cli.checkNotSaved', { state: job.state })] : [];
    const wanted = namedBy(specs.get(job.shot), specs);
    const from = (job.from ?? []).flatMap(({ shot, take }) => (shot === undefined ? [] : [{ shot, take }]));
    const formats: string[] = [];
    for (const file of job.files) {
      const found = await inspect(project, file, job.medium);
      if ('problem' in found) problems.push(sayText(found.problem));
      else formats.push(found.format);
      if (!file.startsWith(`${folder}/${job.shot}_t${String(job.take)}`))
        problems.push(say('cli.checkWrongName', { file }));
      const lineage = listed.get(file);
      if (lineage === undefined) problems.push(say('cli.checkNotInManifest', { file }));
      else if (!wanted.every((key) => lineage.includes(`${key} take `)))
        problems.push(say('cli.checkManifestSource', { shots: wanted.join(', ') }));
    }
    const missing = wanted.filter((key) => !from.some(({ shot }) => shot === key));
    if (missing.length > 0) problems.push(say('cli.checkTakeSource', { shots: missing.join(', ') }));
    const sources = [...new Set(from.map(({ shot, take }) => say('cli.takeName', { shot, take: String(take) })))];
    takes.push({ job, formats, from: sources, problems });
  }
  return takes;
}

function namedBy(spec: ShotSpec | undefined, specs: ReadonlyMap<string, ShotSpec>): string[] {
  if (!spec) return [];
  const find = (text: string): string | null => (specs.has(text) ? text : null);
  return [...new Set(shotReferences(spec).flatMap(({ name }) => shotNamed(name, find)?.key ?? []))];
}

async function inspect(
  project: string,
  path: string,
  medium: Medium | undefined,
): Promise<{ readonly format: string } | { readonly problem: string }> {
  const file = await openFile(placeIn(project, path), 'read');
  try {
    const found = await inspectFile(file, { medium });
    if ('problem' in found) return { problem: say('failure.ofFile', { file: path, reason: found.problem }) };
    if (!found.verified) return { problem: say('cli.checkNotVerified', { file: path }) };
    return found;
  } finally {
    await file.handle.close();
  }
}
