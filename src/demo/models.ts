export const MEDIA_KINDS = ['video', 'image', 'music', 'text', 'speech', 'presenter'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** What one model takes. Limits are those of the reference, sections "Videos" and "Limits". */
export interface DemoModel {
  id: string;
  kind: MediaKind;
  ownedBy: string;
  /** Inclusive range of whole seconds, for video. */
  seconds?: { min: number; max: number };
  /** Resolutions the model renders; absent when the reference does not list them. */
  sizes?: readonly string[];
  /** The CL line takes a reference video only as an asset prepared for that very model. */
  preparedVideoOnly?: boolean;
  /** The SG line takes images as assets unless the request chooses `direct_url`, and avatars that were prepared for it. */
  imagesAsAssets?: boolean;
  /** Sides of an image must be multiples of this many pixels. */
  sideMultiple?: number;
  operations?: readonly ('edit' | 'variation')[];
  formats?: readonly string[];
  /** What its generic tasks bring where that is no piece of music or film: the model alone decides. */
  brings?: 'lyrics' | 'audio' | 'voice' | 'avatar';
}

const FOUR_TO_FIFTEEN = { min: 4, max: 15 };
const FOUR_TO_THIRTY = { min: 4, max: 30 };

export const DEMO_MODELS: readonly DemoModel[] = [
  video('vgen-2.0-cl-fast', { seconds: FOUR_TO_FIFTEEN, sizes: ['480p', '720p'], preparedVideoOnly: true }),
  video('vgen-2.0-cl', { seconds: FOUR_TO_FIFTEEN, sizes: ['480p', '720p', '1080p'], preparedVideoOnly: true }),
  video('vgen-2.0-cl-mini', { seconds: FOUR_TO_FIFTEEN, sizes: ['480p', '720p'], preparedVideoOnly: true }),
  video('vgen-2.0-nt', { seconds: FOUR_TO_FIFTEEN }),
  video('vgen-2.0-nt-fast', { seconds: FOUR_TO_FIFTEEN }),
  video('vgen-2.0-nt-mini', { seconds: { min: 4, max: 4 } }),
  // The ids of these lines are made up after the pattern of those above; the reference shows their durations alone.
  video('vgen-2.0-sz', { seconds: FOUR_TO_FIFTEEN }),
  video('vgen-2.5-sz', { seconds: FOUR_TO_THIRTY }),
  video('vgen-2.5-cl', { seconds: FOUR_TO_THIRTY }),
  video('vgen-2.5-gl-a', { seconds: FOUR_TO_THIRTY }),
  // The reference shows no limits of these, and no ids of the AC and SG lines.
  video('vgen-2.0-cl-b-fast', {}),
  video('vgen-2.0-cl-b-mini', {}),
  video('vgen-2.0-ac', {}),
  video('vgen-2.0-sg', { imagesAsAssets: true }),
  { id: 'image-demo', kind: 'image', ownedBy: 'demo', operations: ['edit', 'variation'] },
  { id: 'image-demo-pro', kind: 'image', ownedBy: 'demo', sideMultiple: 16, operations: ['edit'] },
  { id: 'music-demo', kind: 'music', ownedBy: 'demo' },
  { id: 'lyrics-demo', kind: 'music', ownedBy: 'demo', brings: 'lyrics' },
  { id: 'chat-demo', kind: 'text', ownedBy: 'demo' },
  { id: 'speech-demo', kind: 'speech', ownedBy: 'demo', formats: ['mp3', 'opus', 'aac', 'flac'] },
  { id: 'presenter-demo', kind: 'presenter', ownedBy: 'demo' },
  { id: 'presenter-audio-demo', kind: 'presenter', ownedBy: 'demo', brings: 'audio' },
  { id: 'presenter-voice-demo', kind: 'presenter', ownedBy: 'demo', brings: 'voice' },
  { id: 'presenter-avatar-demo', kind: 'presenter', ownedBy: 'demo', brings: 'avatar' },
];

export const EMBEDDING_MODELS = [{ id: 'embed-demo', kind: 'embedding', ownedBy: 'demo' }] as const;

export function findModel(id: string): DemoModel | undefined {
  return DEMO_MODELS.find((model) => model.id === id);
}

function video(id: string, limits: Partial<DemoModel>): DemoModel {
  return { id, kind: 'video', ownedBy: 'vgen', ...limits };
}
