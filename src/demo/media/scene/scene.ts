import { seededRandom } from '../output.ts';

export type Place = 'sea' | 'harbour' | 'city' | 'mountains' | 'forest' | 'desert' | 'window' | 'close';
export type Time = 'dawn' | 'day' | 'dusk' | 'night' | 'storm';
export type Weather = 'clear' | 'fog' | 'rain' | 'snow';
export type Subject = 'lighthouse' | 'boat' | 'rower' | 'birds' | 'person' | 'trees';
export type Move = 'push' | 'pull' | 'left' | 'right' | 'rise' | 'still';
export type Technique = 'film' | 'pencil' | 'print' | 'collage';

/** The content of a made-up picture. */
export interface Scene {
  readonly place: Place;
  readonly time: Time;
  readonly weather: Weather;
  readonly subjects: ReadonlySet<Subject>;
  readonly move: Move;
  readonly technique: Technique;
}

type Words<Meaning> = readonly (readonly [Meaning, RegExp])[];

const PLACES: Words<Place> = [
  ['close', /\b(?:close-?up|macro|hands?|boots?|face|eyes?|brass|crank|portrait|title|taglines?|logo)\b/],
  ['window', /\b(?:window|pane|panes|room|interior|inside|kitchen|bed|shutters?|lantern)\b/],
  ['harbour', /\b(?:harbour|harbor|port|quay|pier|docks?|village)\b/],
  ['city', /\b(?:city|street|skyline|neon|tower block|rooftops?|traffic|tokyo|york|london|paris|shanghai)\b/],
  ['forest', /\b(?:forest|woods?|trees?|pines?|jungle|garden)\b/],
  ['desert', /\b(?:desert|dunes?|sand|sahara|canyon)\b/],
  [
    'sea',
    /\b(?:sea|ocean|waves?|boat|rows?|oars?|trawler|ship|beach|coast|island|lighthouse|gulls?|rowing|water|lake)\b/,
  ],
  ['mountains', /\b(?:mountains?|alps?|valley|hills?|snow|glacier|peak|steppe|meadow|fields?)\b/],
];
const TIMES: Words<Time> = [
  ['storm', /\b(?:storm|thunder|overcast|grey|gray|breaks over|spray)\b/],
  ['night', /\b(?:night|midnight|stars?|moon|dark|neon|lamp goes)\b/],
  ['dawn', /\b(?:dawn|sunrise|morning|fog)\b/],
  ['dusk', /\b(?:dusk|sunset|evening|golden|twilight|warm)\b/],
  ['day', /\b(?:day|noon|sun|sunny|bright|summer|calm)\b/],
];
const WEATHERS: Words<Weather> = [
  ['fog', /\b(?:fog|mist|haze|smoke)\b/],
  ['rain', /\b(?:rain|wet|storm|spray)\b/],
  ['snow', /\b(?:snow|blizzard|winter)\b/],
];
const SUBJECTS: Words<Subject> = [
  ['lighthouse', /\b(?:lighthouse|beam|beacon|keeper)\b/],
  ['boat', /\b(?:boat|trawler|ship|sail|harbour|harbor|crossing)\b/],
  ['rower', /\b(?:rows?|oars?|rowing)\b/],
  ['birds', /\b(?:gulls?|birds?|geese|swallows?)\b/],
  ['person', /\b(?:keeper|woman|man|girl|boy|child|figure|walks?|stands|someone|person|hero|runner)\b/],
  ['trees', /\b(?:forest|woods?|trees?|pines?|hills?|valley)\b/],
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
const ANY_TIME: readonly Time[] = ['dawn', 'day', 'dusk', 'night', 'dusk'];
const ANY_MOVE: readonly Move[] = ['push', 'left', 'right', 'pull', 'rise'];

/** Longest part of a prompt that is looked at, characters. */
const READ = 1000;

/**
 * The scene of a prompt: from its words, and by chance for the rest. The rest is the same for every take of a prompt;
 * `seed` names the take, and decides how the camera moves. Pure.
 */
export function sceneOf(prompt: string, seed: string): Scene {
  const text = prompt.slice(0, READ).toLowerCase();
  const byPrompt = seededRandom(text);
  const byTake = seededRandom(seed);
  const any = <Meaning>(of: readonly [Meaning, ...Meaning[]] | readonly Meaning[], chance: number) =>
    of[Math.floor(chance * of.length)];
  const [placeChance, timeChance, birdChance] = [byPrompt(), byPrompt(), byPrompt()];
  const place = first(PLACES, text) ?? any(ANY_PLACE, placeChance) ?? 'sea';
  const subjects = new Set(SUBJECTS.filter(([, words]) => words.test(text)).map(([subject]) => subject));
  if ((place === 'sea' || place === 'harbour') && birdChance < 0.4) subjects.add('birds');
  return {
    place,
    time: first(TIMES, text) ?? any(ANY_TIME, timeChance) ?? 'day',
    weather: first(WEATHERS, text) ?? 'clear',
    subjects,
    move: first(MOVES, text) ?? any(ANY_MOVE, byTake()) ?? 'push',
    technique: first(TECHNIQUES, text) ?? 'film',
  };
}

const first = <Meaning>(words: Words<Meaning>, text: string): Meaning | undefined =>
  words.find(([, expression]) => expression.test(text))?.[0];
