/**
 * Takes a change back, or makes it again, and resolves with what reverses that in turn; with anything else where nothing
 * does. Rejects with why it could not be done.
 */
export type Reverse = () => unknown;
/** When something was changed or taken back, as `undoHistory.now` counts, and what, for people. */
export interface Latest {
    /** `Renamed “Night” to “Day”`. */
    readonly words: string;
    readonly at: number;
}
/** Something that was done in this window and can be taken back. */
export interface UndoStep extends Latest {
    readonly reverse: Reverse;
}
/** Undo and redo of a list, which keeps the steps itself. */
export interface OwnUndo {
    /** What its undo takes back; null where there is nothing. */
    readonly changed: Latest | null;
    /** What its redo does again. */
    readonly undone: Latest | null;
    undo(): Promise<void>;
    redo(): Promise<void>;
}
/**
 * The changes of this window, for as long as it is open: one history in every view, with which the edits of the list on
 * screen are joined by their time. Undo takes back the latest change. Redo does again what was taken back last, until
 * something else is changed.
 */
declare class UndoHistory {
    #private;
    /** The latest change, for people, where no message says it. */
    said: string;
    /** What undo takes back; null where there is nothing. */
    get toUndo(): Latest | null;
    /** What redo does again. */
    get toRedo(): Latest | null;
    /** A growing number: a later change has a higher one. */
    now(): number;
    /** Joins a list's own undo until the returned function is called. For `$effect`. */
    join(list: OwnUndo): () => void;
    /** Remembers a change that was made at `at`. */
    add(words: string, reverse: Reverse, at?: number): UndoStep;
    empty(): void;
    /** It was not made after all. */
    drop(step: UndoStep): void;
    /** Takes back the latest change, or this one. Says why when that fails; it can be tried again when no answer came. */
    undo(step?: UndoStep): Promise<void>;
    /** Does again what was taken back last. */
    redo(): Promise<void>;
}
export declare const undoHistory: UndoHistory;
/** What undo takes back, as a button or a menu names it: `Undo: Renamed “Night” to “Day”`. */
export declare const undoTitle: () => string | null;
export declare const redoTitle: () => string | null;
/** For what this window alone keeps: goes to and fro between two states. */
export declare const between: (back: () => unknown, again: () => unknown) => Reverse;
/** When a list that keeps its own steps was edited in this window. */
declare class EditTimes {
    #private;
    /** Of the latest edit that is not undone; 0 for one from before the window was opened. */
    get changed(): number;
    /** When the latest undone edit was undone. */
    get undone(): number;
    noteEdit(): void;
    noteUndo(): void;
    noteRedo(): void;
}
/** The times of a list, for as long as the window is open: other views may be shown meanwhile. */
export declare const editTimesOf: (listId: string) => EditTimes;
/** Says what was done and offers Undo, here for a moment and by the undo key from then on. */
export declare function toastWithUndo(message: string, reverse: Reverse, at?: number): UndoStep;
/** Says what was done, with an Undo button. Returns the id of the toast. */
export declare function offerUndo(message: string, step: UndoStep): string | number;
export {};
