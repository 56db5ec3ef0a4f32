import type { MediaKind } from '../models.ts';
import { movie } from './movie.ts';
import type { Maker } from './output.ts';
import { picture } from './picture.ts';
import { presenter } from './presenter.ts';
import { voice } from './speech.ts';
import { tune } from './tune.ts';
import { words } from './words.ts';

/** What makes the outputs of each kind of task. */
export const MAKERS: Readonly<Record<MediaKind, Maker>> = {
  video: movie,
  image: picture,
  music: tune,
  text: words,
  speech: voice,
  presenter,
};
