import { beforeEach, describe, expect, it, vi } from 'vitest';
import { t } from '../../../src/contract/messages/words.ts';
import type { DraftEdit, DraftRows, DraftView } from '../../../src/contract/batch.ts';
import { editRows } from '../../../src/contract/draft-list.ts';
import type * as Client from '../../../src/renderer/lib/client.ts';
import { OpenDraft } from '../../../src/renderer/views/batch/draft/open-draft.svelte.ts';

/** The engine's half of one list: revisions, undo, and edits that are made once. */
class FakeEngine {
  lists: string[][] = [['a', 'b', 'c']];
  revision = 0;
  /** `lost`: what is asked is done, and the answer does not arrive. */
  connection: 'good' | 'none' | 'lost' = 'good';
  readonly made = new Set<string>();
  rowsRead = 0;
  /** Lists that were undone, the newest last. */
  undone: string[][] = [];
  /** How often defects were asked for, and how often with another look at the files. */
  readonly asked = { inAll: 0, again: 0 };

  get rows(): string[] {
    return this.lists.at(-1) ?? [];
  }

  view(): DraftView {
    const { revision } = this;
    const known = { id: 'list', projectId: 'p', name: 'day', isNamed: false, createdAt: 0, source: 'day.csv' };
    const read = { encoding: null, delimiter: null, sheet: null, sheets: [], kind: null, defaults: {} };
    const checked = { errors: 0, warnings: 0, checkedRevision: revision, canUndo: true, canRedo: false };
    const columns = [{ header: 'prompt', column: 'prompt', isExtra: false }];
    const batch = { startedAs: null, batchId: null };
    const version = this.rows.join();
    return { ...known, ...read, ...checked, ...batch, columns, rows: this.rows.length, revision, version };
  }

  step(rows: string[]): void {
    this.lists = [...this.lists, rows];
    this.revision += 1;
  }

  async call<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    if (this.connection === 'none') throw new TypeError('Failed to fetch');
    const answer = work();
    if (this.connection === 'lost') throw new TypeError('Failed to fetch');
    return answer;
  }

  edit({ revision, edit, editId }: { revision: number; edit: DraftEdit; editId: string }): DraftView {
    if (this.made.has(editId)) return this.view();
    if (revision !== this.revision) throw new Error('The list was changed meanwhile.');
    if (edit.type !== 'cells' && edit.type !== 'insert' && edit.type !== 'remove') throw new Error('not needed here');
    const before = this.rows.map((text) => [text]);
    this.step(editRows(before, edit).map(([text = '']) => text));
    this.made.add(editId);
    return this.view();
  }

  undo(): DraftView {
    this.undone = [...this.undone, this.rows];
    this.lists = this.lists.slice(0, -1);
    this.revision += 1;
    return this.view();
  }

  redo(): DraftView {
    this.step(this.undone.at(-1) ?? []);
    this.undone = this.undone.slice(0, -1);
    return this.view();
  }

  defects(again: boolean): { revision: number; defects: [] } {
    this.asked.inAll += 1;
    if (again) this.asked.again += 1;
    return { revision: this.revision, defects: [] };
  }

  part(start: number, count: number): DraftRows {
    this.rowsRead += 1;
    return { revision: this.revision, start, rows: this.rows.slice(start, start + count).map((text) => [text]) };
  }
}

const held = vi.hoisted(() => ({ engine: null as unknown }));
const engine = (): FakeEngine => held.engine as FakeEngine;
vi.mock('../../../src/renderer/lib/client.ts', async (original) => ({
  ...(await original<typeof Client>()),
  api: {
    drafts: {
      get: () => engine().call(() => engine().view()),
      rows: ({ start, count }: { start: number; count: number }) => engine().call(() => engine().part(start, count)),
      edit: (call: Parameters<FakeEngine['edit']>[0]) => engine().call(() => engine().edit(call)),
      undo: () => engine().call(() => engine().undo()),
      redo: () => engine().call(() => engine().redo()),
      defects: ({ again }: { again: boolean }) => engine().call(() => engine().defects(again)),
    },
  },
}));
vi.mock('../../../src/renderer/lib/toasts.ts', () => ({ tell: () => undefined, toastError: () => undefined }));

const write = (row: number, value: string) => ({ type: 'cells' as const, cells: [{ row, column: 0, value }] });
const shown = (draft: OpenDraft) => Array.from({ length: draft.count }, (_none, row) => draft.text(row, 0));

async function open(): Promise<OpenDraft> {
  const draft = new OpenDraft(engine().view());
  await draft.refresh();
  await draft.whole;
  return draft;
}

beforeEach(() => {
  held.engine = new FakeEngine();
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});

describe('a list that this window edits', () => {
  it('has edits at once, and in the engine one after the other', async () => {
    const draft = await open();
    void draft.edit({ type: 'insert', at: 1, rows: [['new']] });
    const done = draft.edit(write(3, 'C'));
    expect(shown(draft)).toEqual(['a', 'new', 'b', 'C']);
    await done;
    expect(engine().rows).toEqual(['a', 'new', 'b', 'C']);
    expect(draft.isSaving).toBe(false);
  });

  it('asks for its rows once: not after an edit, an undo or a redo', async () => {
    const draft = await open();
    await draft.edit(write(0, 'A'));
    await draft.edit({ type: 'insert', at: 0, rows: [['new']] });
    await draft.undo();
    expect(shown(draft)).toEqual(['A', 'b', 'c']);
    await draft.undo();
    expect(shown(draft)).toEqual(['a', 'b', 'c']);
    await draft.redo();
    await draft.redo();
    expect(shown(draft)).toEqual(['new', 'A', 'b', 'c']);
    expect([engine().rows, engine().rowsRead]).toEqual([['new', 'A', 'b', 'c'], 1]);
  });

  it('is looked at again after the answer that is on its way, and asks nothing twice that is known', async () => {
    const draft = await open();
    await Promise.all([draft.defects.check(), draft.defects.again(), draft.defects.check()]);
    expect(engine().asked).toEqual({ inAll: 2, again: 1 });
    expect(draft.defects.isChecked).toBe(true);
  });

  it('keeps what could not be sent, over a reload too, and makes an edit once whose answer was lost', async () => {
    const before = await open();
    engine().connection = 'lost';
    await before.edit(write(0, 'A'));
    engine().connection = 'none';
    await before.edit({ type: 'remove', rows: [1] });
    expect(before.link.isAway).toBe(true);
    before.link.close();
    engine().connection = 'good';
    const reloaded = await open();
    expect(engine().rows).toEqual(['A', 'c']);
    expect(engine().revision).toBe(2);
    expect(shown(reloaded)).toEqual(['A', 'c']);
  });

  it('has a text that was written during an undo where it was written, when that moved no row', async () => {
    const draft = await open();
    await draft.edit(write(0, 'A'));
    const undone = draft.undo();
    await draft.edit(write(1, 'B'));
    await undone;
    expect(engine().rows).toEqual(['a', 'B', 'c']);
    expect(shown(draft)).toEqual(['a', 'B', 'c']);
  });

  it('keeps a text aside that was written during an undo which has moved rows', async () => {
    const draft = await open();
    await draft.edit({ type: 'insert', at: 0, rows: [['new']] });
    const undone = draft.undo();
    await draft.edit(write(1, 'A'));
    await undone;
    expect(engine().rows).toEqual(['a', 'b', 'c']);
    expect(shown(draft)).toEqual(['a', 'b', 'c']);
    expect(draft.outbox).toMatchObject({
      text: 'A',
      stopped: { message: t('list.changedMeanwhile') },
    });
    expect(draft.obstacle).toBe(t('list.settleTextFirst'));
    draft.outbox.discard();
    expect(draft.obstacle).toBeNull();
  });
});

describe('a list that another window edits too', () => {
  it('keeps a text aside that comes too late: its row may have moved', async () => {
    const draft = await open();
    engine().step(['new', 'a', 'b', 'c']);
    await draft.edit(write(0, 'A'));
    expect(engine().rows).toEqual(['new', 'a', 'b', 'c']);
    expect(shown(draft)).toEqual(['new', 'a', 'b', 'c']);
    expect(draft.outbox).toMatchObject({ text: 'A', stopped: { message: 'The list was changed meanwhile.' } });
  });

  it('is followed', async () => {
    const draft = await open();
    engine().step(['a', 'b', 'c', 'd']);
    await draft.refresh();
    expect(draft.count).toBe(4);
  });
});
