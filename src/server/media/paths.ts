/** First parts of the paths that the media handler answers; apart from it, since it brings an image library along. */
export const mediaPaths = ['media', 'thumb', 'peaks', 'asset', 'asset-thumb', 'upload'] as const;
