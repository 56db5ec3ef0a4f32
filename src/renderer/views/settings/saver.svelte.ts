import { t } from '../../../contract/messages/words.ts';
import { sayTrouble } from '../../lib/client.ts';
import { settings } from '../../lib/state/settings.svelte.ts';
import { between, toastWithUndo } from '../../lib/undo.svelte.ts';

type Change = Parameters<typeof settings.change>[0];

export class Saver {
  problem = $state<string>();
  #underWay: { readonly change: string; readonly saved: Promise<boolean> } | null = null;

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
      await settings.change(change);
      this.problem = undefined;
      const reverse = between(
        () => settings.change(before),
        () => settings.change(change),
      );
      toastWithUndo(t('settings.changed', { setting: label }), reverse);
      return true;
    } catch (error) {
      this.problem = sayTrouble(error);
      return false;
    }
  }
}
