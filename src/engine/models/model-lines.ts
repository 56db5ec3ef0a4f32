/** The `duration` that a video model accepts, seconds. */
export interface DurationLimits {
  readonly min: number;
  readonly max: number;
  readonly integersOnly: boolean;
}

/**
 * A line of models as the reference describes it. A limit that it does not give is absent, and then nothing is refused.
 */
export interface ModelLine {
  readonly name: string;
  readonly ids: RegExp;
  readonly duration?: DurationLimits;
  readonly sizes?: readonly string[];
  /** Reference, "CL video line": a video reference must be an asset prepared for the model. */
  readonly preparedVideosOnly?: true;
}

const from4To15: DurationLimits = { min: 4, max: 15, integersOnly: false };
const from4To30: DurationLimits = { min: 4, max: 30, integersOnly: false };

/**
 * Reference, "CL video line" and "Limits". The ids of the CL and NT lines are from the reference. It names the SZ, GL
 * and AC lines without ids, so ours follow the same pattern. The first matching line counts. For the SG line the
 * reference has rules but no limits, so it is a setting (`assumed.sgModels`).
 */
export const modelLines: readonly ModelLine[] = [
  // Lines whose capabilities the reference does not give.
  { name: 'AC', ids: /^vgen-\d\.\d-ac(-|$)/ },
  { name: 'CL-B', ids: /^vgen-2\.0-cl-b-(fast|mini)$/ },
  {
    name: 'CL',
    ids: /^vgen-2\.0-cl$/,
    duration: from4To15,
    sizes: ['480p', '720p', '1080p'],
    preparedVideosOnly: true,
  },
  {
    name: 'CL',
    ids: /^vgen-2\.0-cl-(fast|mini)$/,
    duration: from4To15,
    sizes: ['480p', '720p'],
    preparedVideosOnly: true,
  },
  { name: '2.5 CL', ids: /^vgen-2\.5-cl(-|$)/, duration: from4To30 },
  { name: '2.5 GL-A', ids: /^vgen-2\.5-gl-a(-|$)/, duration: from4To30 },
  { name: 'SZ 2.0', ids: /^vgen-2\.0-sz(-|$)/, duration: from4To15 },
  { name: 'SZ 2.5', ids: /^vgen-2\.5-sz(-|$)/, duration: from4To30 },
  { name: 'NT', ids: /^vgen-2\.0-nt(-fast)?$/, duration: { min: 4, max: 15, integersOnly: true } },
  { name: 'NT mini', ids: /^vgen-2\.0-nt-mini$/, duration: { min: 4, max: 4, integersOnly: true } },
];
