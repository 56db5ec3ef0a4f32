import { imageSpec } from './image.ts';
import { musicSpec } from './music.ts';
import { presenterSpec } from './presenter.ts';
import { speechSpec } from './speech.ts';
import { textSpec } from './text.ts';
import { videoSpec } from './video.ts';

/** Every kind, in the order in which people see them. A new one is a line here and one in the engine's list of kinds. */
export const allKinds = [videoSpec, imageSpec, musicSpec, textSpec, speechSpec, presenterSpec] as const;

export type Kind = (typeof allKinds)[number]['kind'];
