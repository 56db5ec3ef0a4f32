/**
 * A browser writes every answer of 400 and above to its console as an error of the page. An expected refusal, which the
 * person sees, is no error. A page that sends the first header gets an answer of 200 with the true status in the second.
 * Others get the status itself.
 */
export const REFUSALS_HEADER = 'x-dailies-refusals';
export const QUIETLY = 'quietly';
export const STATUS_HEADER = 'x-dailies-status';

/** The status of `REFUSED`, the one error of the contract that is meant for people. */
export const REFUSED_STATUS = 409;
