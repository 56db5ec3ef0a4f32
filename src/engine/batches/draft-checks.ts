import { createHash } from 'node:crypto';
import type { Variables } from '../../contract/prompt-library.ts';
import { refused } from '../base/errors.ts';
import { placeDefects, type Draft, type DraftCheck } from './draft.ts';
import type { DraftRepository } from './draft-repository.ts';
import type { DraftsContext } from './drafts-context.ts';
import { checkList, type CheckOptions } from './validate.ts';

/** A check older than this is repeated on request: a missing file may be there now, ms. */
const CHECK_HOLDS_MS = 10_000;

export class DraftChecks {
  readonly #context: DraftsContext;
  readonly #drafts: DraftRepository;
  readonly #underWay = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(context: DraftsContext, drafts: DraftRepository) {
    this.#context = context;
    this.#drafts = drafts;
  }

  start({ id }: Draft): void {
    if (this.#underWay.has(id) || this.#stopped) return;
    const work = this.#catchUp(id).finally(() => this.#underWay.delete(id));
    // A caller that needs the result waits for it and gets the failure.
    work.catch(() => undefined);
    this.#underWay.set(id, work);
  }

  async #catchUp(draftId: string): Promise<void> {
    for (;;) {
      const draft = this.#drafts.opened(draftId);
      if (!draft?.isUnchecked || this.#stopped) return;
      draft.isUnchecked = false;
      const { revision } = draft;
      const at = this.#context.clock.now();
      const options = this.#optionsOf(draft);
      const texts = toStamp(options.variables);
      const checked = await checkList(draft.table(), options);
      draft.check = { revision, at, texts, checked, ...placeDefects(checked, draft.list.headers.length) };
      this.#context.changed(draft);
    }
  }

  async of(draftId: string): Promise<DraftCheck> {
    const asked = this.#context.clock.now();
    for (;;) {
      const draft = await this.#drafts.find(draftId);
      const { check } = draft;
      const texts = toStamp(this.#context.textsOf(draft.projectId));
      const isFresh = check?.texts === texts && asked - check.at < CHECK_HOLDS_MS;
      if (check?.revision === draft.revision && isFresh) return check;
      if (!this.#underWay.has(draftId)) draft.isUnchecked = true;
      if (this.#stopped) throw refused('stopping', 'failure.stopping', 'remedy.startDailiesAgain');
      this.start(draft);
      await this.#underWay.get(draftId);
    }
  }

  #optionsOf(draft: Draft): CheckOptions & { readonly variables: Variables } {
    const { kind, mapping } = draft.list;
    return {
      listFolder: listFolderFor(this.#context, draft),
      settings: this.#context.settings(draft.projectId),
      variables: this.#context.textsOf(draft.projectId),
      mapping,
      kind: kind ?? undefined,
      accountModels: this.#context.accountModels(draft.projectId),
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#underWay.values());
  }
}

/** Local paths of a list are relative to this folder. */
export function listFolderFor(context: DraftsContext, { file, projectId }: Draft): string {
  // A batch from another machine may not say where its list lay.
  return context.currentPlace(projectId, file.listFolder || context.project(projectId).path);
}

/** Says which texts a list was checked with: another stamp, other texts. */
const toStamp = (variables: Variables): string =>
  createHash('sha256')
    .update(JSON.stringify([...variables].sort(([one], [other]) => (one < other ? -1 : 1))))
    .digest('base64url');
