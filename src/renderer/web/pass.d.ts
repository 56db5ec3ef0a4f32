/** What answers at this address is not the run of Dailies that let this window in. */
export declare class NotOurHostError extends Error {
    constructor();
}
/** Takes a code out of the address and uses it. Returns whether this window has been let in, now or before. */
export declare function enter(): Promise<boolean>;
/** Whether the address asks for a window to be let in: it was typed or pasted into one that is open. */
export declare const asksToEnter: () => boolean;
/**
 * What a call shows, once the host has shown who it is. Throws NotOurHostError, and whatever `fetch` throws when nobody
 * answers.
 */
export declare function passHeaders(): Promise<Record<string, string>>;
/** The connection was lost: who answers next has to prove who it is. */
export declare function requireProof(): void;
