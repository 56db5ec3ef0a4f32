/** How long a toast with Undo stays, ms: long enough to read it and to reach for the key. */
export declare const WITH_ACTION_MS = 8000;
interface ToastAction {
    readonly label: string;
    readonly run: () => void;
}
/** Says in passing that something was done. Takes one action at most: Undo, or a link to the result. */
export declare function toast(message: string, action?: ToastAction): void;
/** Shows progress, with a button to stop, until it is closed. */
export declare function toastProgress(message: string, stop: () => void): {
    show(message: string): void;
    close(): void;
};
/**
 * Says that something could not be done, and what to do next. Stays until it is closed, read, or the view changes.
 * `what` names the failed action, where the person has seen it as done.
 */
export declare function toastError(error: unknown, what?: string): void;
/** Removes the troubles of the view that is left, but for those from the step out of it. */
export declare function clearTroubles(): void;
export {};
