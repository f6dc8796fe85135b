global using System.Text;
global using Harbor.Common;
