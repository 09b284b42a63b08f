"""Programs that read the folders and the event log and write files. A broken one cannot stop the company."""
