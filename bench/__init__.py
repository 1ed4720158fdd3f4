"""What the gateway costs and how soon it answers, measured on this machine in one run."""
