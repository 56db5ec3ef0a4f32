import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withFields } from '../../scripts/project-folder.ts';

it('docs/reference/project-folder.md has the fields that the files of a project have now', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/project-folder.md'), 'utf8');
  expect(withFields(page)).toBe(page);
  expect(withFields(page.replaceAll(/^\| `taskId`.*\n/gm, ''))).toBe(page);
});
