"""What can be asked of journals and stores, whoever asks: commands, report, viewer."""
