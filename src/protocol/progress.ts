/** How far a request is. */
export interface ProgressStep {
  /** One line. */
  message: string;
  /** How much is done; absent if work only goes on. */
  progress?: number;
  /** How much there is to do. */
  total?: number;
}

/** How far a run is, as its code says. */
export interface Progress extends ProgressStep {
  /** Whether the code shows it on its stderr already, as a bar does. */
  isDrawn: boolean;
}
