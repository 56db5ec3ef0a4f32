import type { Settings } from '../../contract/settings.ts';
import { RefusedError } from '../base/errors.ts';

/** The path of a tool, which is a setting. Throws RefusedError where a person has emptied it. */
export function toolPath({ paths }: Settings, name: string): string {
  const path = paths[name];
  if (path) return path;
  const message = `The service’s path for this is not set (paths.${name}). Nothing was sent.`;
  throw new RefusedError('path_not_set', message, 'Set it in Settings, under Open paths.');
}
