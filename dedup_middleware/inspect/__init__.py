"""What commands, report and viewer ask of journals and stores."""
