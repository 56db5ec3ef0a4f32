import type { Kind } from '../../contract/kinds/kind.ts';
import type { KindDriver } from './driver.ts';
import { imageDriver } from './image.ts';
import { musicDriver } from './music.ts';
import { videoDriver } from './video.ts';

const drivers: Readonly<Record<Kind, KindDriver>> = { video: videoDriver, image: imageDriver, music: musicDriver };

/** How a kind speaks with the service. */
export function driverOf(kind: Kind): KindDriver {
  return drivers[kind];
}
