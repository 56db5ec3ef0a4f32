import { sayText } from '../../../src/contract/messages/words.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/contract/kinds/index.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import type { Parameter } from '../../../src/contract/kinds/spec.ts';
import { sharedColumns } from '../../../src/contract/kinds/shared.ts';
import { check, errorsOf } from './support.ts';

const docs = readFileSync(new URL('../../../docs/reference/shot-lists.md', import.meta.url), 'utf8');

/** The row of a column in the tables of the page. After changing a spec, copy the missing rows into the page. */
const rowOf = ({ name, aliases, help }: Parameter) =>
  `| \`${name}\` | ${aliases.map((alias) => `\`${alias}\``).join(', ')} | ${sayText(help).replaceAll('|', '\\|')} |`;

const section = (heading: string) => docs.split(/^#+ /m).find((part) => part.startsWith(heading)) ?? '';

describe('the page about shot lists', () => {
  it('has every shared column with its aliases and its meaning', () => {
    const text = section('Columns of every kind');
    for (const column of sharedColumns) expect(text).toContain(rowOf(column));
  });

  it.each(Kind.options)('has every column of %s with its aliases and its meaning, and no others', (kind) => {
    const { label, parameters } = kindSpecs[kind];
    const text = section(`${sayText(label)} columns`);
    for (const parameter of parameters) expect(text).toContain(rowOf(parameter));
    expect(text.match(/^\| `/gm)).toHaveLength(parameters.length);
  });

  it('gives examples that are lists without a mistake', async () => {
    const examples = [...docs.matchAll(/```csv\n([^]*?)```/g)].map((match) => match[1] ?? '');
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const example of examples) {
      const { shots, defects } = await check(example);
      const missingFiles = errorsOf(defects).filter(({ problem }) => sayText(problem).endsWith(' was not found.'));
      expect(errorsOf(defects)).toEqual(missingFiles);
      expect(shots.length + missingFiles.length).toBeGreaterThan(0);
    }
  });
});
