import type { Kind } from '../../contract/kinds/kind.ts';
import type { KindDriver } from './driver.ts';
import { imageRules } from './image-rules.ts';
import { imageDriver } from './image.ts';
import { musicRules } from './music-rules.ts';
import { musicDriver } from './music.ts';
import type { KindRules } from './rules.ts';
import { videoRules } from './video-rules.ts';
import { videoDriver } from './video.ts';

const drivers: Readonly<Record<Kind, KindDriver>> = { video: videoDriver, image: imageDriver, music: musicDriver };
const rules: Readonly<Record<Kind, KindRules>> = { video: videoRules, image: imageRules, music: musicRules };

/** How a kind speaks with the service. */
export function driverOf(kind: Kind): KindDriver {
  return drivers[kind];
}

/** What the service's rules allow in a shot of a kind. */
export function rulesOf(kind: Kind): KindRules {
  return rules[kind];
}
