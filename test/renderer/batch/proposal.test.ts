import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  namesInWords,
  proposalFor,
  shotsAsList,
  takenPrompts,
  type PromptRows,
} from '../../../src/renderer/views/batch/tools/proposal.ts';
import { decoded, problemsIn, promptTools, type Said } from '../../../src/renderer/views/batch/tools/tool-table.ts';
import { readTsv } from '../../../src/renderer/views/batch/draft/cell-texts.ts';

const listOf = (prompts: readonly string[]): PromptRows => ({
  count: prompts.length,
  prompt: (row) => prompts[row] ?? '',
  name: (row) => String((row + 1) * 10),
});
const sent = (...texts: string[]) => texts.map((text, row) => ({ text, row }));

describe('a proposal', () => {
  it('names the rows that came back changed, unchanged, not at all, and that were not asked about', () => {
    const list = listOf(['a', 'b', 'c', 'd']);
    const proposal = proposalFor(sent('a', 'b', 'c', 'd'), [['A'], ['b'], [], null], list);
    expect(proposal).toEqual({
      changes: [{ id: '0 0', row: 0, name: '10', before: 'a', after: 'A', isNew: false }],
      ...{ same: ['20'], missing: ['30', '40'], gone: 0 },
    });
  });

  it('has a row of its own for each further version, and none for a copy of the prompt', () => {
    const { changes } = proposalFor(sent('a'), [['A', 'a', 'B']], listOf(['a']));
    expect(changes.map(({ isNew, after }) => [isNew, after])).toEqual([
      [false, 'A'],
      [true, 'B'],
    ]);
  });

  it('finds its rows where they are now, and never changes a prompt that was edited since', () => {
    const list = listOf(['new', 'b', 'a', 'edited', 'a']);
    const asked = sent('a', 'b', 'c', 'd', 'a');
    const proposal = proposalFor(asked, [['A1'], ['B'], ['C'], null, ['A2']], list);
    expect(proposal.changes.map(({ row, after }) => [row, after])).toEqual([
      [2, 'A1'],
      [1, 'B'],
      [4, 'A2'],
    ]);
    expect(proposal.gone).toBe(1);
  });

  it('never has two changes of one prompt, however often the list has it', () => {
    const text = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.record({ text, row: fc.option(fc.nat(9)) })), (prompts, asked) => {
        const rows = new Set(asked.map(({ row }) => row));
        // Two of the same row are never sent.
        fc.pre(rows.size === asked.length || asked.every(({ row }) => row === null));
        const { changes } = proposalFor(
          asked,
          asked.map(() => ['new']),
          listOf(prompts),
        );
        expect(new Set(changes.map(({ row }) => row)).size).toBe(changes.length);
        for (const { row, before } of changes) expect(prompts[row]).toBe(before);
      }),
    );
  });

  it('is taken row by row', () => {
    const { changes } = proposalFor(sent('a', 'b'), [['A', 'B', 'C'], ['D']], listOf(['a', 'b']));
    const taken = changes.filter(({ after }) => after !== 'A');
    expect([...takenPrompts(taken)]).toEqual([
      [0, { inPlace: undefined, below: ['B', 'C'] }],
      [1, { inPlace: 'D', below: [] }],
    ]);
  });

  it('names a few rows of many', () => {
    expect(namesInWords(['010', '020'])).toBe('010, 020');
    expect(namesInWords(Array.from({ length: 12 }, (_, index) => String(index)))).toBe(
      '0, 1, 2, 3, 4, 5, 6, 7 and 4 more',
    );
  });
});

describe('what a tool asks', () => {
  const tool = (id: string) => promptTools.find((each) => each.id === id) ?? expect.unreachable();
  const asked = (id: string, said: Said) => ({ ask: tool(id).ask(said), versions: tool(id).versions?.(said) ?? 1 });

  it('is in the words of the person', () => {
    expect(asked('rewrite', { ask: 'Make it night' })).toEqual({ ask: 'Make it night', versions: 1 });
    expect(asked('translate', { language: 'Japanese' })).toMatchObject({ ask: expect.stringContaining('Japanese') });
    expect(asked('vary', { rows: '4', how: '' })).toMatchObject({ versions: 4 });
    const wording = { character: 'Mara', wording: 'a woman in yellow' };
    expect(asked('keep-wording', wording)).toMatchObject({ ask: expect.stringContaining('“a woman in yellow”') });
  });

  it.each([
    ['rewrite', { ask: '' }, 'ask'],
    ['shorten', { words: 'few' }, 'words'],
    ['vary', { rows: '11' }, 'rows'],
    ['vary', { rows: '1' }, 'rows'],
    ['keep-wording', { character: 'Mara' }, 'wording'],
    ['rewrite', { ask: 'x'.repeat(9001) }, 'ask'],
  ])('is not asked while something is missing or wrong: %s %j', (id, said, field) => {
    expect(Object.keys(problemsIn(tool(id).fields, said))).toEqual([field]);
  });
});

describe('a script', () => {
  it('is read in the encodings that text files come in', () => {
    expect(decoded(new TextEncoder().encode('Café 扉'))).toBe('Café 扉');
    expect(decoded(Uint8Array.of(0xff, 0xfe, 0x43, 0, 0x61, 0, 0x66, 0, 0xe9, 0))).toBe('Café');
    expect(decoded(Uint8Array.of(0x43, 0x61, 0x66, 0xe9))).toBe('Café');
  });

  it('becomes a list whose cells hold whatever the model wrote', () => {
    const hostile = '=1+1\t"quoted"\nsecond line';
    const shots = [
      { key: '010', prompt: hostile, duration: 4 },
      { key: '020', prompt: 'A door', notes: 'night' },
    ];
    expect(readTsv(shotsAsList(shots))).toEqual([
      ['shot', 'prompt', 'duration', 'notes'],
      ['010', hostile, '4', ''],
      ['020', 'A door', '', 'night'],
    ]);
  });
});
