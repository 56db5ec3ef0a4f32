import type { Settings } from '../../../contract/settings.ts';
import type { ShotSpec } from '../../../contract/shot.ts';

export type VideoRoute = Settings['videoRoute'];

/** The entry that a shot is sent to: that of its row, else that of the settings. */
export const routeOf = (
  { params }: Pick<ShotSpec, 'params'>,
  { videoRoute }: Pick<Settings, 'videoRoute'>,
): VideoRoute => (params.route === 'v1' || params.route === 'compatible' ? params.route : videoRoute);
