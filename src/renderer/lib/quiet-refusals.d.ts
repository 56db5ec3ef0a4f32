/** Sent with every call: refusals are no errors of this page, and must not appear in the browser's console as such. */
export declare const quietRefusals: {
    readonly "x-dailies-refusals": "quietly";
};
/** A fetch that restores the status of refusals, which arrive as a success. A failed fetch is a lost connection. */
export declare function fetchQuietly(request: Request, init?: RequestInit): Promise<Response>;
