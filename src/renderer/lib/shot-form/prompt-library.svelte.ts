import { t } from '../../../contract/messages/words.ts';
import { type Preset, toVariables, type PromptVariable, type Variables } from '../../../contract/prompt-library.ts';
import { api } from '../client.ts';
import { resource, type Resource } from '../state/resource.svelte.ts';
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { MAX_NAMED, type ShownShot } from '../../../contract/batch.ts';

interface Kept {
  readonly variables: readonly PromptVariable[];
  readonly presets: readonly Preset[];
}

export const scopes = [
  { value: 'project', label: t('list.ofThisProject') },
  { value: 'all', label: t('common.allProjects') },
];

export class PromptLibrary {
  readonly projectId: string;
  readonly #kept: Resource<string, Kept>;
  readonly texts: Variables = $derived.by(() => toVariables(this.variables));

  constructor(projectId: string) {
    this.projectId = projectId;
    this.#kept = resource({
      of: () => projectId,
      read: async () => ({
        variables: await api.promptLibrary.variables({ projectId }),
        presets: await api.promptLibrary.presets({ projectId }),
      }),
      changedBy: ({ settings }) => settings,
      staysShown: true,
    });
  }

  get variables(): readonly PromptVariable[] {
    return this.#kept.current?.variables ?? [];
  }

  get presets(): readonly Preset[] {
    return this.#kept.current?.presets ?? [];
  }
}

interface NamedFile {
  readonly name: string;
  readonly file: ShownShot | null;
}

/** How long the names in sight stay the same before they are asked about, ms. */
const REST_MS = 150;

/** The takes that shots stand for now, by the names that a list gives them. For a component. */
export function shotsNamed(
  { draftId, projectId }: { draftId: string; projectId: string },
  names: () => readonly string[],
): Resource<readonly string[], readonly NamedFile[]> {
  return resource({
    of: (): readonly string[] => names().slice(0, MAX_NAMED),
    read: async (wanted): Promise<readonly NamedFile[]> => {
      const found = wanted.length === 0 ? [] : await api.drafts.shots({ draftId, names: [...wanted] });
      return wanted.map((name, index) => ({ name, file: found[index] ?? null }));
    },
    changedBy: ({ projects, verdicts }) =>
      projects.includes(projectId) || verdicts.some((verdict) => verdict.projectId === projectId),
    everyMs: 2000,
    restMs: REST_MS,
    staysShown: true,
  });
}

/** The takes that a list names by `Shot://`, for the cells in sight. Made by a component, and lives as long. */
export class ShotFiles {
  readonly #inSight = new SvelteMap<string, number>();
  readonly #found: ReturnType<typeof shotsNamed>;

  constructor(draftId: string, projectId: string) {
    this.#found = shotsNamed({ draftId, projectId }, () => [...this.#inSight.keys()]);
  }

  of(name: string): ShownShot | null {
    return this.#found.current?.find((each) => each.name === name)?.file ?? null;
  }

  /** A cell that names it is in sight until the returned function is called. For `$effect`. */
  show(name: string): () => void {
    untrack(() => this.#inSight.set(name, (this.#inSight.get(name) ?? 0) + 1));
    return () => {
      const left = (this.#inSight.get(name) ?? 1) - 1;
      if (left > 0) this.#inSight.set(name, left);
      else this.#inSight.delete(name);
    };
  }
}
