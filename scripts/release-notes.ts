import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What the changelog says about a version. Throws when it says nothing. */
export function notesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((each) => each.startsWith(`[${version}]`));
  const notes = section?.split('\n').slice(1).join('\n').trim();
  if (!notes) throw new Error(`CHANGELOG.md says nothing under “${version}”. Move what is under Unreleased there.`);
  return notes;
}

if (process.argv[1] === import.meta.filename) {
  const changelog = readFileSync(join(resolve(import.meta.dirname, '..'), 'CHANGELOG.md'), 'utf8');
  process.stdout.write(`${notesOf(changelog, process.argv[2] ?? '')}\n`);
}
