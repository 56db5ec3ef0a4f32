/** What went wrong, for people and for logs. Never holds the query of an address. */
export interface DownloadComplaint {
  /** Stable: `download_truncated`, `http_502`, `address_refused`, … */
  readonly code: string;
  readonly message: string;
  readonly httpStatus?: number;
}
/** Ids the service gives for troubleshooting. */
export interface TraceIds {
  readonly requestId?: string;
  readonly traceId?: string;
}

/** What the service said when it refused or failed, as far as it said anything. */
export interface ServiceComplaint extends TraceIds {
  readonly httpStatus?: number;
  /** `error.code` of the reference's ErrorResponse, or a system code such as ECONNRESET. */
  readonly code?: string;
  readonly message: string;
}
