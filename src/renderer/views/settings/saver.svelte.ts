import { t } from '../../../contract/messages/words.ts';
import { sayTrouble } from '../../lib/client.ts';
import { settings } from '../../lib/state/settings.svelte.ts';
import { between, toastWithUndo } from '../../lib/undo.svelte.ts';

type Change = Parameters<typeof settings.change>[0];

/** How long the saved mark stays beside a field, ms. */
const MARK_MS = 2500;

export class Saver {
  saved = $state(false);
  problem = $state<string>();
  #underWay: { readonly change: string; readonly saved: Promise<boolean> } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  refuse(problem: string): void {
    this.problem = problem;
  }

  clearError(): void {
    this.problem = undefined;
  }

  /** `label` names the field in the toast; `before` puts things back as they were. True when it was saved. */
  save(label: string, change: Change, before: Change): Promise<boolean> {
    const asked = JSON.stringify(change);
    // Enter saves a field, and so does leaving it: who does both at once has changed it once.
    if (this.#underWay?.change === asked) return this.#underWay.saved;
    const saved = this.#save(label, change, before).finally(() => {
      if (this.#underWay?.saved === saved) this.#underWay = null;
    });
    this.#underWay = { change: asked, saved };
    return saved;
  }

  async #save(label: string, change: Change, before: Change): Promise<boolean> {
    try {
      const put = async (wanted: Change): Promise<void> => {
        await settings.change(wanted);
        this.#mark();
      };
      await put(change);
      this.problem = undefined;
      const reverse = between(
        () => put(before),
        () => put(change),
      );
      toastWithUndo(t('settings.changed', { setting: label }), reverse);
      return true;
    } catch (error) {
      this.problem = sayTrouble(error);
      return false;
    }
  }

  #mark(): void {
    this.saved = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.saved = false), MARK_MS);
  }
}
