import { Preset, type PromptVariable, type Variables } from '../../contract/prompt-library.ts';
import { Store } from './connection.ts';

/** What belongs to every project has an empty id of a project in the tables. */
const idIn = (projectId: string | null): string => projectId ?? '';

type PresetRow = Preset & { readonly projectId: string };

export class PresetStore extends Store {
  list(projectId: string | null): Preset[] {
    const rows = this.facts.all<PresetRow>`SELECT * FROM presets WHERE project_id IN ('', ${idIn(projectId)})
      ORDER BY kind, name, project_id`;
    return rows.flatMap((row) => presetIn(row) ?? []);
  }

  get(id: string): Preset | null {
    const row = this.facts.one<PresetRow>`SELECT * FROM presets WHERE id = ${id}`;
    return row && presetIn(row);
  }

  count(projectId: string | null): number {
    return this.facts.count`SELECT count(*) FROM presets WHERE project_id = ${idIn(projectId)}`;
  }

  /** Replaces one with the same project, kind and name, and keeps its id. Returns the id. */
  save({ id, projectId, kind, name, cells }: Preset): string {
    const saved = this.facts.value<string>`INSERT INTO presets
      VALUES (${id}, ${idIn(projectId)}, ${kind}, ${name}, ${cells})
      ON CONFLICT (project_id, kind, name) DO UPDATE SET cells = excluded.cells RETURNING id`;
    return saved ?? id;
  }

  /** False when another one of its project and kind has this name. */
  rename(id: string, name: string): boolean {
    return this.facts.run`UPDATE OR IGNORE presets SET name = ${name} WHERE id = ${id}` > 0;
  }

  remove(id: string): void {
    this.facts.run`DELETE FROM presets WHERE id = ${id}`;
  }
}

/** Null for a kind of a later version. */
const presetIn = ({ projectId, ...row }: PresetRow): Preset | null =>
  Preset.safeParse({ ...row, projectId: projectId || null }).data ?? null;

/** A text that travels with a project; `copied`: a copy of one of every project. */
export interface CarriedVariable {
  readonly name: string;
  readonly text: string;
  readonly copied: boolean;
}

/**
 * The texts that prompts name, of each project and of all projects. A project keeps a copy of each text of all projects
 * that its lists name, so that its folder has it. A copy follows what a person does to the text of all projects here,
 * and is not shown while it is the same.
 */
export class VariableStore extends Store {
  list(projectId: string | null): PromptVariable[] {
    return this.facts.all<PromptVariable>`SELECT NULLIF(project_id, '') AS projectId, name, text
      FROM prompt_variables AS own WHERE project_id IN ('', ${idIn(projectId)}) AND NOT (copied AND EXISTS (
        SELECT 1 FROM prompt_variables WHERE project_id = '' AND name = own.name AND text = own.text))
      ORDER BY name, project_id`;
  }

  carriedBy(projectId: string): CarriedVariable[] {
    return this.facts.all<CarriedVariable>`SELECT name, text, copied FROM prompt_variables
      WHERE project_id = ${projectId} ORDER BY name`;
  }

  projectsWithCopy(name: string): string[] {
    return this.facts.values<string>`SELECT project_id FROM prompt_variables WHERE name = ${name} AND copied`;
  }

  count(projectId: string | null): number {
    return this.facts.count`SELECT count(*) FROM prompt_variables WHERE project_id = ${idIn(projectId)} AND NOT copied`;
  }

  set({ projectId, name, text }: PromptVariable): void {
    this.facts.run`INSERT INTO prompt_variables (project_id, name, text) VALUES (${idIn(projectId)}, ${name}, ${text})
      ON CONFLICT DO UPDATE SET text = excluded.text, copied = 0`;
    if (projectId === null) this.facts.run`UPDATE prompt_variables SET text = ${text} WHERE name = ${name} AND copied`;
  }

  /** Keeps copies of texts of every project with a project that has none of these names. Returns whether any is new. */
  keepCopies(projectId: string, texts: Variables): boolean {
    const kept = this.facts.run`INSERT INTO prompt_variables (project_id, name, text, copied)
      SELECT ${projectId}, value ->> 0, value ->> 1, 1 FROM json_each(${[...texts]}) WHERE TRUE ON CONFLICT DO NOTHING`;
    return kept > 0;
  }

  /** Takes over a text that came with a project. One of its own stays its own. */
  adopt(projectId: string, { name, text, copied }: CarriedVariable): void {
    this.facts.run`INSERT INTO prompt_variables (project_id, name, text, copied)
      VALUES (${projectId}, ${name}, ${text}, ${copied})
      ON CONFLICT DO UPDATE SET text = excluded.text, copied = copied AND excluded.copied`;
  }

  remove(projectId: string | null, name: string): boolean {
    if (projectId === null) this.facts.run`DELETE FROM prompt_variables WHERE name = ${name} AND copied`;
    return this.facts.run`DELETE FROM prompt_variables WHERE project_id = ${idIn(projectId)} AND name = ${name}` > 0;
  }
}
