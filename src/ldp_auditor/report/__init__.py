"""What people see: tables, figures and progress bars."""
