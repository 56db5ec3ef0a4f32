import { Cut } from '../../contract/cut.ts';
import { Store } from './connection.ts';

/** A cut, or the name of one that was removed; `changedAt`: when, ms. */
export interface CutChange {
  readonly name: string;
  readonly cut: Cut | null;
  readonly changedAt: number;
}

type CutRow = Omit<CutChange, 'cut'> & { readonly text: string | null };

/** Cuts by their names, as they are written. */
export class CutStore extends Store {
  list(projectId: string): Cut[] {
    return this.facts.values<string>`SELECT cut FROM cuts WHERE project_id = ${projectId} AND cut IS NOT NULL
      ORDER BY name`.flatMap((text) => toCut(text) ?? []);
  }

  get(projectId: string, name: string): Cut | null {
    return toCut(this.facts.value`SELECT cut FROM cuts WHERE project_id = ${projectId} AND name = ${name}`);
  }

  /** When one was made, changed or removed last, ms; 0 for never. */
  changedAt(projectId: string, name: string): number {
    return this.facts.count`SELECT changed_at FROM cuts WHERE project_id = ${projectId} AND name = ${name}`;
  }

  save(projectId: string, { name, cut, changedAt }: CutChange, isWritten = false): void {
    this.facts.run`INSERT INTO cuts (project_id, name, cut, changed_at, unwritten)
      VALUES (${projectId}, ${name}, ${cut}, ${changedAt}, ${!isWritten})
      ON CONFLICT DO UPDATE SET cut = excluded.cut, changed_at = excluded.changed_at, unwritten = excluded.unwritten`;
  }

  /** What the project's folder lacks, removed ones first: another may have their file by now. */
  unwritten(projectId: string): CutChange[] {
    const rows = this.facts.all<CutRow>`SELECT name, cut AS text, changed_at FROM cuts
      WHERE project_id = ${projectId} AND unwritten = 1 ORDER BY cut IS NOT NULL, name`;
    return rows.map(({ text, ...row }) => ({ ...row, cut: toCut(text) }));
  }

  /** One that was changed in the meantime still has to be written. */
  written(projectId: string, { name, changedAt }: CutChange): void {
    this.facts.run`UPDATE cuts SET unwritten = 0
      WHERE project_id = ${projectId} AND name = ${name} AND changed_at = ${changedAt}`;
  }
}

/** Null also for a cut of a later version. */
const toCut = (text: string | null): Cut | null =>
  text === null ? null : (Cut.safeParse(JSON.parse(text)).data ?? null);
