import { RefusedError } from '../base/errors.ts';

export const unknownTake = (takeId: string): RefusedError =>
  new RefusedError('unknown_take', `There is no take ${takeId}.`, 'Load the list again.');
