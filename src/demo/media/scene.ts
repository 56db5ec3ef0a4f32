import { seededRandom } from './output.ts';

type Place = 'sea' | 'harbour' | 'city' | 'mountains' | 'forest' | 'desert' | 'window' | 'close';
type Time = 'dawn' | 'day' | 'dusk' | 'night' | 'storm';
export type Move = 'push' | 'pull' | 'left' | 'right' | 'rise' | 'still';
export type Technique = 'film' | 'pencil' | 'print' | 'collage';

export interface Scene {
  readonly place: Place;
  readonly time: Time;
  /** The scene is there twice: 1 with a lighthouse or a person in it, 2 with a boat or nobody. */
  readonly variant: 1 | 2;
  readonly move: Move;
  readonly technique: Technique;
  readonly isMirrored: boolean;
}

const PAINTED: Readonly<Record<Place, readonly Time[]>> = {
  sea: ['dawn', 'day', 'dusk', 'night', 'storm'],
  harbour: ['dawn', 'day', 'dusk', 'night'],
  city: ['day', 'dusk', 'night'],
  mountains: ['dawn', 'day', 'dusk'],
  forest: ['dawn', 'day', 'night'],
  desert: ['day', 'dusk', 'night'],
  window: ['day', 'dusk', 'storm'],
  close: ['day', 'dusk', 'night'],
};

type Words<Meaning> = readonly (readonly [Meaning, RegExp])[];

const PLACES: Words<Place> = [
  ['close', /\b(?:close-?up|macro|hands?|boots?|face|eyes?|brass|crank|portrait|title|taglines?|logo)\b/],
  ['window', /\b(?:window|pane|panes|room|interior|inside|kitchen|bed|shutters?|lantern)\b/],
  ['harbour', /\b(?:harbour|harbor|port|quay|pier|docks?|village)\b/],
  ['city', /\b(?:city|street|skyline|neon|tower block|rooftops?|traffic|tokyo|york|london|paris|shanghai)\b/],
  ['mountains', /\b(?:mountains?|alps?|valley|hills?|snow|glacier|peak|steppe|meadow|fields?)\b/],
  ['forest', /\b(?:forest|woods?|trees?|pines?|jungle|garden)\b/],
  ['desert', /\b(?:desert|dunes?|sand|sahara|canyon)\b/],
  [
    'sea',
    /\b(?:sea|ocean|waves?|boat|rows?|oars?|trawler|ship|beach|coast|island|lighthouse|gulls?|rowing|water|lake)\b/,
  ],
];
const TIMES: Words<Time> = [
  ['storm', /\b(?:storm|thunder|rain|overcast|grey|gray|breaks over|spray)\b/],
  ['night', /\b(?:night|midnight|stars?|moon|dark|neon|lamp goes)\b/],
  ['dawn', /\b(?:dawn|sunrise|morning|fog)\b/],
  ['dusk', /\b(?:dusk|sunset|evening|golden|twilight|warm)\b/],
  ['day', /\b(?:day|noon|sun|sunny|bright|summer|calm)\b/],
];
const VARIANTS: Words<1 | 2> = [
  [2, /\b(?:boat|trawler|ship|sail|rows?|oars?|rowing|empty|nobody)\b/],
  [1, /\b(?:lighthouse|beam|beacon|keeper|woman|man|girl|boy|child|figure|person|hero|runner)\b/],
];
const MOVES: Words<Move> = [
  ['push', /\b(?:push in|push|closer|dolly in|zoom in|drifts towards)\b/],
  ['pull', /\b(?:pull back|pulls? out|zoom out|wide)\b/],
  ['rise', /\b(?:rises?|crane|tilt up|drone|climbs?)\b/],
  ['left', /\bleft\b/],
  ['right', /\b(?:right|pan|track|dolly)\b/],
  ['still', /\b(?:static|locked|no camera|still life)\b/],
];
const TECHNIQUES: Words<Technique> = [
  ['print', /\b(?:linocut|woodcut|ink|etching|stencil)\b/],
  ['pencil', /\b(?:pencil|storyboard|sketch|charcoal)\b/],
  ['collage', /\b(?:collage|paper|screen ?print)\b/],
];

const ANY_PLACE: readonly Place[] = ['sea', 'mountains', 'city', 'desert', 'forest', 'close'];
const ANY_MOVE: readonly Move[] = ['push', 'left', 'right', 'pull', 'rise'];

/** Longest part of a prompt that is looked at, characters. */
const READ = 1000;

/** The scene of a prompt: place and time are its own; `seed` names the take, and decides what else differs. Pure. */
export function sceneFor(prompt: string, seed: string): Scene {
  const text = prompt.slice(0, READ).toLowerCase();
  const [byPrompt, byTake] = [seededRandom(text), seededRandom(seed)];
  const any = <Meaning>(of: readonly Meaning[], chance: number, otherwise: Meaning): Meaning =>
    of[Math.floor(chance * of.length)] ?? otherwise;
  const place = first(PLACES, text) ?? any(ANY_PLACE, byPrompt(), 'sea');
  const painted = PAINTED[place];
  const named = TIMES.find(([time, words]) => painted.includes(time) && words.test(text))?.[0];
  const [timeChance, moveChance, variantChance, mirrorChance] = [byPrompt(), byTake(), byTake(), byTake()];
  return {
    place,
    time: named ?? any(painted, timeChance, 'day'),
    variant: first(VARIANTS, text) ?? (variantChance < 0.5 ? 1 : 2),
    move: first(MOVES, text) ?? any(ANY_MOVE, moveChance, 'push'),
    technique: first(TECHNIQUES, text) ?? 'film',
    isMirrored: mirrorChance < 0.5,
  };
}

const first = <Meaning>(words: Words<Meaning>, text: string): Meaning | undefined =>
  words.find(([, expression]) => expression.test(text))?.[0];

export const ACCENTS: Readonly<Record<Time, string>> = {
  dawn: '#f0b27a',
  day: '#8fd0ff',
  dusk: '#ff9d57',
  night: '#9db9e8',
  storm: '#b8c6cc',
};
