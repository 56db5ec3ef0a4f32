/**
 * A browser writes every answer of 400 and above to its console as an error of the page, and a refusal that is
 * foreseen and told to the person is none. A page asks for it with the first header, and gets an answer of 200 with the
 * true status in the second. Whoever does not ask gets the status itself.
 */
export const REFUSALS_HEADER = 'x-dailies-refusals';
export const QUIETLY = 'quietly';
export const STATUS_HEADER = 'x-dailies-status';

/** The status of `REFUSED`, the one error of the contract that is meant for people. */
export const REFUSED_STATUS = 409;
