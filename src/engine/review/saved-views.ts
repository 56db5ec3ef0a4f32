import { v7 as uuid } from 'uuid';
import type { Actor } from '../../contract/history.ts';
import { messageFor } from '../../contract/messages/message-for.ts';
import {
  LONGEST_VIEW_NAME,
  MOST_VIEWS,
  viewNamed,
  viewNameOf,
  type SavedView,
  type ViewFilter,
} from '../../contract/saved-views.ts';
import { RefusedError } from '../base/errors.ts';
import type { NoteOf } from '../db/history-store.ts';
import type { SavedViewStore } from '../db/saved-view-store.ts';
import { unknownProject } from '../projects/overview.ts';

interface SavedViewsParts {
  readonly store: SavedViewStore;
  readonly changed: (projectId: string) => void;
  /** Runs several writes in one commit. */
  readonly inOneCommit: (work: () => void) => void;
  readonly note: NoteOf;
  readonly isKnown: (projectId: string) => boolean;
}

/** The view to save. The `id` of an existing view replaces that view; any other `id` restores a deleted view. */
export interface ViewToSave {
  readonly id?: string | undefined;
  readonly projectId: string;
  readonly name: string;
  readonly filter: ViewFilter;
}

/** Searches of takes that people save under a name. */
export class SavedViews {
  readonly #parts: SavedViewsParts;

  constructor(parts: SavedViewsParts) {
    this.#parts = parts;
  }

  list(projectId: string): SavedView[] {
    return this.#parts.store.list(projectId);
  }

  /**
   * Throws RefusedError for an unknown project, for a name that is invalid or taken, and when a project has too many
   * views.
   */
  save({ id, projectId, name: text, filter }: ViewToSave, by: Actor): SavedView {
    if (!this.#parts.isKnown(projectId)) throw unknownProject(projectId);
    const views = this.list(projectId);
    const name = viewNameOf(text);
    if (name === null) {
      throw new RefusedError(
        'bad_view_name',
        messageFor('failure.badViewName', { name: text.slice(0, 2 * LONGEST_VIEW_NAME) }),
        messageFor('remedy.writeViewName', { most: LONGEST_VIEW_NAME }),
      );
    }
    const other = viewNamed(views, name);
    if (other && other.id !== id) {
      throw new RefusedError(
        'view_exists',
        messageFor('failure.viewExists', { name }),
        messageFor('remedy.otherViewName'),
      );
    }
    const known = views.find((view) => view.id === id);
    if (!known && views.length >= MOST_VIEWS) {
      throw new RefusedError(
        'too_many_views',
        messageFor('failure.tooManyViews', { most: MOST_VIEWS }),
        messageFor('remedy.deleteView'),
      );
    }
    const view: SavedView = { id: id ?? uuid(), projectId, name, filter };
    const { store, inOneCommit, note, changed } = this.#parts;
    inOneCommit(() => {
      store.save(view);
      note('view.saved', { name }, { projectId, by });
    });
    changed(projectId);
    return view;
  }

  remove(projectId: string, id: string, by: Actor): void {
    const { store, inOneCommit, note, changed } = this.#parts;
    const known = store.list(projectId).find((view) => view.id === id);
    if (!known) return;
    inOneCommit(() => {
      store.remove(projectId, id);
      note('view.removed', { name: known.name }, { projectId, by });
    });
    changed(projectId);
  }
}
