import type { Kind } from '../../contract/kinds/all.ts';
import type { KindDriver } from './rules.ts';
import { imageDriver } from './image/index.ts';
import { musicDriver } from './music/index.ts';
import { presenterDriver } from './presenter/index.ts';
import { speechDriver } from './speech/index.ts';
import { textDriver } from './text/index.ts';
import { videoDriver } from './video/index.ts';

/** How each kind speaks with the service. A new kind is a line here and one in the contract's list of kinds. */
export const allDrivers: Readonly<Record<Kind, KindDriver>> = {
  video: videoDriver,
  image: imageDriver,
  music: musicDriver,
  text: textDriver,
  speech: speechDriver,
  presenter: presenterDriver,
};
