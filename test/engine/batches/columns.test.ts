import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsFor } from '../../../src/contract/kinds/index.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { planColumns } from '../../../src/engine/batches/columns.ts';
import { told } from './support.ts';
import { applyEdit, type DraftList } from '../../../src/contract/draft-list.ts';

const plan = (headers: string[], mapping = {}) => planColumns({ headers, headerRow: 1 }, mapping);
const meaning = (header: string, mapping = {}) => plan([header], mapping).columns[0]?.meaning;

describe('a header', () => {
  const written = fc.constantFrom(
    (name: string) => name,
    (name: string) => name.toUpperCase(),
    (name: string) => ` ${name} `,
    (name: string) => name.replaceAll('_', ' '),
    (name: string) => name.replaceAll('_', '-'),
    (name: string) => name.replaceAll('_', ''),
  );
  const known = Kind.options.flatMap((kind) =>
    columnsFor(kind).flatMap((column) => [column.name, ...column.aliases].map((name) => ({ kind, column, name }))),
  );

  it('means its column by name and by alias, however it is written', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), written, ({ kind, column, name }, write) => {
        const found = meaning(write(name));
        if (found?.is === 'shared') expect(found.column.name).toBe(column.name);
        else if (found?.is === 'parameter') expect(found.byKind.get(kind)?.name).toBe(column.name);
        else expect.unreachable(`${write(name)} is ${found?.is ?? 'missing'}`);
      }),
      { numRuns: 400 },
    );
  });

  it('can mean one parameter for videos and another for images', () => {
    const found = meaning('Resolution');
    const byKind = found?.is === 'parameter' ? found.byKind : new Map();
    expect([...byKind].map(([kind, { name }]: [Kind, { name: string }]) => `${kind} ${name}`)).toEqual([
      'video size',
      'image resolution',
    ]);
  });

  it('of the form param.NAME keeps the name as it is written', () => {
    expect(meaning(' Param.cameraFixed ')).toEqual({ is: 'extra', name: 'cameraFixed' });
    expect(meaning('param.seed:json')).toEqual({ is: 'extra', name: 'seed:json' });
  });

  it.each(['param.', 'param.a b', 'param.__proto__', 'param."x"'])('%s is no field to send', (header) => {
    expect(plan([header]).defects).toMatchObject([{ severity: 'error', row: 1, column: header }]);
  });

  it('that we do not know keeps its name', () => {
    expect(meaning(' Scene ')).toEqual({ is: 'other', name: 'Scene' });
    expect(plan(['Scene', 'camera', 'lens', 'act', 'day']).defects).toEqual([]);
    expect(meaning('  ')).toEqual({ is: 'nothing' });
  });

  it.each([
    ['durration', 'duration'],
    ['promt', 'prompt'],
    ['aspect raito', 'aspect_ratio'],
    ['refrence images', 'reference_images'],
    ['modle', 'model'],
  ])('%s is suggested to be %s, and kept', (header, suggestion) => {
    expect(told(plan([header]).defects)).toEqual([
      `warning 1/${header} "${header}": “${header}” is not a known column. It is kept and not sent.`,
    ]);
    expect(plan([header]).defects[0]?.remedy).saying(`If you mean ${suggestion}, rename it.`);
    expect(meaning(header)).toEqual({ is: 'other', name: header });
  });
});

describe('two headers', () => {
  it('that mean the same are a defect', () => {
    expect(told(plan(['prompt', 'Shot', 'description']).defects)).toEqual([
      'error 1/description "description": The columns “prompt” and “description” mean the same.',
    ]);
    expect(told(plan(['duration', 'seconds']).defects)).toHaveLength(1);
    expect(told(plan(['param.seed', 'param.seed:json']).defects)).toHaveLength(1);
  });

  it('of the same unknown name are both kept', () => {
    const { columns, defects } = plan(['Scene', 'x', 'Scene', 'Scene']);
    expect(columns.map((column) => column.meaning)).toMatchObject([
      { name: 'Scene' },
      { name: 'x' },
      { name: 'Scene (2)' },
      { name: 'Scene (3)' },
    ]);
    expect(defects.map(({ severity }) => severity)).toEqual(['warning', 'warning']);
  });

  it('that overlap for one kind only, as size and resolution do, are allowed', () => {
    expect(plan(['size', 'resolution']).defects).toEqual([]);
  });
});

describe('a mapping', () => {
  it('goes before what a header looks like', () => {
    expect(meaning('Was zu sehen ist', { 'was zu sehen ist': 'prompt' })).toMatchObject({ column: { name: 'prompt' } });
    expect(meaning('Nr', { Nr: 'param.number' })).toEqual({ is: 'extra', name: 'number' });
    expect(meaning('type', { type: '' })).toEqual({ is: 'other', name: 'type' });
    // A person who keeps a column knows that it is not sent.
    expect(plan(['durration']).defects).toHaveLength(1);
    expect(plan(['durration'], { durration: '' }).defects).toEqual([]);
  });

  it('to or from a column that does not exist is a defect', () => {
    expect(told(plan(['a'], { a: 'promt', b: 'prompt' }).defects)).toEqual([
      'error 1/a "a": It is mapped to “promt”, which is not a column.',
      'error 1/b "b": The list has no column “b” to map.',
    ]);
  });
});

it('any headers are sorted without an exception, and none is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { maxLength: 6 }), (headers) => {
      expect(plan(headers).columns.map(({ index }) => index)).toEqual(headers.map((_, index) => index));
    }),
    { numRuns: 40 },
  );
});

const list: DraftList = {
  ...{ headers: ['shot', 'prompt'], mapping: {}, kind: null, defaults: {} },
  rows: [['010', 'A door'], ['020']],
};

describe('an edit of cells that adds columns', () => {
  it('puts them on the right and the cells into them, as one step', () => {
    const after = applyEdit(list, {
      type: 'cells',
      columns: ['notes'],
      cells: [{ row: 1, column: 2, value: 'See there' }],
    });
    expect(after.headers).toEqual(['shot', 'prompt', 'notes']);
    expect(after.rows).toEqual([
      ['010', 'A door'],
      ['020', '', 'See there'],
    ]);
  });

  it('is refused where there is such a column', () => {
    expect(() => applyEdit(list, { type: 'cells', columns: ['Prompt'], cells: [] })).toThrow(
      expect.objectContaining({ text: expect.saying(/already/) as unknown }),
    );
  });
});
