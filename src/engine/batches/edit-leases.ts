import { messageFor } from '../../contract/messages/message.ts';
import { RefusedError } from '../base/errors.ts';

/**
 * Which window edits which list: one at a time, the others follow. In memory only: a window is its connection, which
 * does not outlive the engine.
 */
export class EditLeases {
  readonly #editors = new Map<string, string>();
  /** Connections of each window: a new one may begin before the end of the old one is noticed. */
  readonly #connections = new Map<string, number>();

  editorOf(draftId: string): string | null {
    return this.#editors.get(draftId) ?? null;
  }

  /** Gives a list to a window: a free one, or any when it is taken over. */
  claim(draftId: string, window: string, takeOver = false): void {
    if (takeOver || !this.#editors.has(draftId)) this.#editors.set(draftId, window);
  }

  /** Makes a free list the window's own. Throws RefusedError while another window edits it. */
  assure(draftId: string, window: string): void {
    const editor = this.editorOf(draftId);
    if (editor !== null && editor !== window) {
      throw new RefusedError('edited_elsewhere', messageFor('failure.editedElsewhere'), messageFor('remedy.takeOver'));
    }
    if (window !== '') this.claim(draftId, window);
  }

  release(draftId: string, window: string): void {
    if (this.editorOf(draftId) === window) this.#editors.delete(draftId);
  }

  connected(window: string): void {
    this.#connections.set(window, (this.#connections.get(window) ?? 0) + 1);
  }

  /** Frees the lists of a window with its last connection. Returns which. */
  disconnected(window: string): readonly string[] {
    const left = (this.#connections.get(window) ?? 0) - 1;
    if (left > 0) {
      this.#connections.set(window, left);
      return [];
    }
    this.#connections.delete(window);
    const freed = [...this.#editors].flatMap(([draftId, editor]) => (editor === window ? [draftId] : []));
    for (const draftId of freed) this.#editors.delete(draftId);
    return freed;
  }
}
