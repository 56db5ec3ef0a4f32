import { say, sayText } from '../../contract/messages/words.ts';
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

export interface CheckedTake {
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

export async function checkTakes(jobs: readonly JobView[], checked: Checked): Promise<CheckedTake[]> {
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
